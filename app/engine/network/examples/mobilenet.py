"""MobileNetV3-Large. Source: Howard et al. 2019, table 1; sizes of squeezes as in torchvision."""

from __future__ import annotations

from .builder import Builder, Of

# kernel, expanded channels, output channels, squeeze-and-excite, hardswish, stride
_BLOCKS = (
    (3, 16, 16, False, False, 1),
    (3, 64, 24, False, False, 2),
    (3, 72, 24, False, False, 1),
    (5, 72, 40, True, False, 2),
    (5, 120, 40, True, False, 1),
    (5, 120, 40, True, False, 1),
    (3, 240, 80, False, True, 2),
    (3, 200, 80, False, True, 1),
    (3, 184, 80, False, True, 1),
    (3, 184, 80, False, True, 1),
    (3, 480, 112, True, True, 1),
    (3, 672, 112, True, True, 1),
    (5, 672, 160, True, True, 2),
    (5, 960, 160, True, True, 1),
    (5, 960, 160, True, True, 1),
)


def _squeeze(made: Builder, x: Of) -> Of:
    """Every channel weighted by a number that depends on all of them."""
    quarter = x.channels // 4
    width = max(8, (quarter + 4) // 8 * 8)
    width += 8 if width < 0.9 * quarter else 0  # never a tenth less
    mean = made.node("adaptive_avg_pool2d", [x], output_size=1)
    narrow = made.relu(made.conv(mean, width, 1, bias=True))
    scale = made.node("hardsigmoid", [made.conv(narrow, x.channels, 1, bias=True)])
    return made.node("mul", [scale, x], channels=x.channels)


def _act(made: Builder, x: Of, *, hard: bool) -> Of:
    return made.node("hardswish", [x]) if hard else made.relu(x)


def mobilenet_v3_large() -> Builder:
    """62 convolutions, 15 of them depthwise, and 8 squeezes."""
    made = Builder()
    x = made.norm(made.conv(made.input("x", (1, 3, 224, 224)), 16, 3, stride=2))
    x = _act(made, x, hard=True)
    for kernel, wide, out, squeezed, hard, stride in _BLOCKS:
        y = x
        if wide != x.channels:
            y = _act(made, made.norm(made.conv(y, wide, 1)), hard=hard)
        y = made.norm(made.conv(y, wide, kernel, stride=stride, groups=wide))
        y = _act(made, y, hard=hard)
        y = _squeeze(made, y) if squeezed else y
        y = made.norm(made.conv(y, out, 1))
        x = made.add(y, x) if stride == 1 and out == x.channels else y
    x = _act(made, made.norm(made.conv(x, 960, 1)), hard=True)
    flat = made.node("flatten", [made.node("adaptive_avg_pool2d", [x], output_size=1)], start_dim=1)
    wide_ = _act(made, made.linear(flat, 960, 1280), hard=True)
    made.linear(wide_, 1280, 1000)
    return made
