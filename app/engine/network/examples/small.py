"""Single blocks: each shows one thing that layouts do, and fits on a screen."""

from __future__ import annotations

from .builder import Builder


def conv_norm_relu(layout: str = "NHWC") -> Builder:
    """One convolution with what follows it in nearly every network."""
    made = Builder()
    made.conv_norm_relu(made.input("x", (1, 64, 56, 56), layout=layout), 64, 3)
    return made


def residual_block() -> Builder:
    """ResNet's basic block: the input is read twice, by a convolution and by the sum."""
    made = Builder()
    x = made.input("x", (1, 64, 56, 56), layout="NHWC")
    y = made.conv_norm_relu(x, 64, 3)
    made.relu(made.add(made.norm(made.conv(y, 64, 3)), x))
    return made


def inception_block() -> Builder:
    """Chunks along the channels of a channels_last tensor go through branches and are joined.

    The case argued over in PyTorch's document on memory formats: a chunk's strides skip the other
    chunk, and the layout has to be told from them alone.
    """
    made = Builder()
    x = made.input("x", (1, 192, 28, 28), layout="NHWC")
    left, right = made.nodes("chunk", [x], [96, 96], chunks=2, dim=1)
    narrow = made.relu(made.conv(left, 64, 1))
    wide = made.relu(made.conv(made.relu(made.conv(right, 96, 1)), 128, 3))
    pooled = made.node("max_pool2d", [x], kernel_size=3, stride=1, padding=1)
    made.relu(made.cat([narrow, wide, made.conv(pooled, 32, 1), left]))
    return made
