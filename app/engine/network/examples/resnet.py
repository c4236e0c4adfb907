"""ResNet-50. Source: He et al. 2015, table 1, with the stride on the 3x3 (torchvision)."""

from __future__ import annotations

from .builder import Builder, Of


def _bottleneck(made: Builder, x: Of, width: int, stride: int) -> Of:
    y = made.conv_norm_relu(x, width, 1)
    y = made.conv_norm_relu(y, width, 3, stride=stride)
    y = made.norm(made.conv(y, 4 * width, 1))
    if stride > 1 or x.channels != 4 * width:
        x = made.norm(made.conv(x, 4 * width, 1, stride=stride))
    return made.relu(made.add(y, x))


def resnet_50() -> Builder:
    """53 convolutions in 16 blocks."""
    made = Builder()
    x = made.conv_norm_relu(made.input("x", (1, 3, 224, 224)), 64, 7, stride=2)
    x = made.node("max_pool2d", [x], kernel_size=3, stride=2, padding=1)
    for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for block in range(blocks):
            x = _bottleneck(made, x, width, 2 if block == 0 and width > 64 else 1)
    made.classifier(x, 1000)
    return made
