"""U-Net: what goes down is kept, and joined again on the way up."""

from __future__ import annotations

from .builder import Builder, Of


def _double(made: Builder, x: Of, out: int) -> Of:
    first = made.relu(made.conv(x, out, 3, bias=True))
    return made.relu(made.conv(first, out, 3, bias=True))


def _up(made: Builder, x: Of, skip: Of) -> Of:
    out = x.channels // 2
    name = made.fresh("up")
    weight = made.constant(f"{name}.weight", (x.channels, out, 2, 2))
    bias = made.constant(f"{name}.bias", (out,))
    up = made.node("conv_transpose2d", [x, weight, bias], channels=out, name=name, stride=2)
    return _double(made, made.cat([skip, up]), out)


def unet_skip() -> Builder:
    """One step down and one step up, with the skip connection between them."""
    made = Builder()
    x = _double(made, made.input("x", (1, 3, 64, 64)), 32)
    down = made.node("max_pool2d", [x], kernel_size=2)
    made.conv(_up(made, _double(made, down, 64), x), 2, 1, bias=True)
    return made


def unet() -> Builder:
    """The whole U-Net with four steps: 23 convolutions, four of them transposed.

    Source: Ronneberger et al. 2015, figure 1, with padding so that sizes match.
    """
    made = Builder()
    x = made.input("x", (1, 3, 256, 256))
    skips = []
    for out in (64, 128, 256, 512):
        x = _double(made, x, out)
        skips.append(x)
        x = made.node("max_pool2d", [x], kernel_size=2)
    x = _double(made, x, 1024)
    for skip in reversed(skips):
        x = _up(made, x, skip)
    made.conv(x, 2, 1, bias=True)
    return made
