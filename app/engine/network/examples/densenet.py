"""DenseNet-121. Source: Huang et al. 2016, table 1 and section 4.1."""

from __future__ import annotations

from .builder import Builder, Of

_GROWTH = 32


def _layer(made: Builder, parts: list[Of]) -> Of:
    """One layer reads all layers before it in its block, joined."""
    x = made.cat(parts) if len(parts) > 1 else parts[0]
    narrow = made.conv(made.relu(made.norm(x)), 4 * _GROWTH, 1)
    return made.conv(made.relu(made.norm(narrow)), _GROWTH, 3)


def densenet_121() -> Builder:
    """Each tensor of a block is read by all layers after it: up to 25 tensors live at once."""
    made = Builder()
    x = made.conv_norm_relu(made.input("x", (1, 3, 224, 224)), 64, 7, stride=2)
    x = made.node("max_pool2d", [x], kernel_size=3, stride=2, padding=1)
    for last, layers in ((False, 6), (False, 12), (False, 24), (True, 16)):
        parts = [x]
        for _ in range(layers):
            parts.append(_layer(made, parts))
        x = made.relu(made.norm(made.cat(parts)))
        if not last:
            x = made.conv(x, x.channels // 2, 1)
            x = made.node("avg_pool2d", [x], kernel_size=2)
    made.classifier(x, 1000)
    return made
