"""The networks: single blocks that show one thing on one screen, and whole networks."""

from .builder import Builder, Of


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


def _bottleneck(made: Builder, x: Of, width: int, stride: int) -> Of:
    y = made.conv_norm_relu(x, width, 1)
    y = made.conv_norm_relu(y, width, 3, stride=stride)
    y = made.norm(made.conv(y, 4 * width, 1))
    if stride > 1 or x.channels != 4 * width:
        x = made.norm(made.conv(x, 4 * width, 1, stride=stride))
    return made.relu(made.add(y, x))


def resnet_50() -> Builder:
    """53 convolutions in 16 blocks.

    Source: He et al. 2015, table 1, with the stride on the 3x3 (torchvision).
    """
    made = Builder()
    x = made.conv_norm_relu(made.input("x", (1, 3, 224, 224)), 64, 7, stride=2)
    x = made.node("max_pool2d", [x], kernel_size=3, stride=2, padding=1)
    for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for block in range(blocks):
            x = _bottleneck(made, x, width, 2 if block == 0 and width > 64 else 1)
    made.classifier(x, 1000)
    return made


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
    """62 convolutions, 15 of them depthwise, and 8 squeezes.

    Source: Howard et al. 2019, table 1; sizes of squeezes as in torchvision.
    """
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


_GROWTH = 32


def _dense_layer(made: Builder, parts: list[Of]) -> Of:
    """One layer reads all layers before it in its block, joined."""
    x = made.cat(parts) if len(parts) > 1 else parts[0]
    narrow = made.conv(made.relu(made.norm(x)), 4 * _GROWTH, 1)
    return made.conv(made.relu(made.norm(narrow)), _GROWTH, 3)


def densenet_121() -> Builder:
    """Each tensor of a block is read by all layers after it: up to 25 tensors live at once.

    Source: Huang et al. 2016, table 1 and section 4.1.
    """
    made = Builder()
    x = made.conv_norm_relu(made.input("x", (1, 3, 224, 224)), 64, 7, stride=2)
    x = made.node("max_pool2d", [x], kernel_size=3, stride=2, padding=1)
    for last, layers in ((False, 6), (False, 12), (False, 24), (True, 16)):
        parts = [x]
        for _ in range(layers):
            parts.append(_dense_layer(made, parts))
        x = made.relu(made.norm(made.cat(parts)))
        if not last:
            x = made.conv(x, x.channels // 2, 1)
            x = made.node("avg_pool2d", [x], kernel_size=2)
    made.classifier(x, 1000)
    return made


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


class _Quantised(Builder):
    """Writes operators of 8-bit integers with one scale for each tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = self.constant("scale", ())
        self.zero = self.constant("zero", (), dtype="int8", values=[0])

    def qconv(self, x: Of, out: int, kernel: int, *, stride: int = 1) -> Of:
        """A convolution of 8-bit integers; its sums of 32 bits are rounded at once."""
        name = self.fresh("qconv")
        weight = self.constant(f"{name}.weight", (out, x.channels, kernel, kernel), dtype="int8")
        scaled = (self.scale, self.zero)
        return self.node(
            "QLinearConv",
            [x, *scaled, weight, *scaled, *scaled],
            channels=out,
            name=name,
            pads=[kernel // 2] * 4,
            strides=[stride] * 2,
        )

    def qadd(self, x: Of, y: Of) -> Of:
        """A sum: ONNX has it for float alone."""
        parts = [
            self.node("DequantizeLinear", [each, self.scale, self.zero], name=self.fresh("float"))
            for each in (x, y)
        ]
        total = self.node("Relu", [self.node("Add", parts)])
        return self.node("QuantizeLinear", [total, self.scale, self.zero], name=self.fresh("int8_"))


def int8_nchw4() -> Builder:
    """Two residual blocks and a join, as an inference engine for dp4a runs them.

    The input is in NCHW4: four channels in a word.
    """
    made = _Quantised()
    x = made.qconv(made.input("x", (1, 4, 224, 224), layout="NCHW4", dtype="int8"), 32, 7, stride=2)
    x = made.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for out, stride in ((32, 1), (64, 2)):
        y = made.qconv(made.qconv(x, out, 3, stride=stride), out, 3)
        x = made.qadd(y, x if stride == 1 else made.qconv(x, out, 1, stride=stride))
    joined = made.cat([made.qconv(x, 32, 1), made.qconv(x, 32, 3)], op="Concat", along="axis")
    made.qconv(joined, 128, 1)
    return made


_WIDTH, _HEADS, _INSIDE = 768, 12, 3072
_BATCH, _LENGTH = 1, 128


def _heads(made: Builder, x: Of, order: list[int]) -> Of:
    """Split the width into heads and bring them before the words: the transpose in question."""
    split = made.node(
        "reshape", [made.linear(x, _WIDTH, _WIDTH)], shape=[_BATCH, _LENGTH, _HEADS, 64]
    )
    return made.node("permute", [split], dims=order)


def _norm(made: Builder, x: Of) -> Of:
    name = made.fresh("norm")
    weights = [made.constant(f"{name}.{part}", (_WIDTH,)) for part in ("weight", "bias")]
    return made.node("layer_norm", [x, *weights], name=name, normalized_shape=[_WIDTH])


def _encoder_layer(made: Builder, x: Of) -> Of:
    query = _heads(made, x, [0, 2, 1, 3])
    key = _heads(made, x, [0, 2, 3, 1])
    value = _heads(made, x, [0, 2, 1, 3])
    scores = made.node("mul", [made.node("matmul", [query, key])], other=0.125)
    mixed = made.node("matmul", [made.node("softmax", [scores], dim=-1), value])
    back = made.node("permute", [mixed], dims=[0, 2, 1, 3])
    joined = made.node("reshape", [back], shape=[_BATCH, _LENGTH, _WIDTH])
    x = _norm(made, made.add(made.linear(joined, _WIDTH, _WIDTH), x))
    inside = made.node("gelu", [made.linear(x, _WIDTH, _INSIDE)])
    return _norm(made, made.add(made.linear(inside, _INSIDE, _WIDTH), x))


def bert(layers: int) -> Builder:
    """``layers`` encoder layers of BERT-base over 128 words.

    Source: Devlin et al. 2018: width 768, 12 heads, 12 layers, 3072 inside.
    """
    made = Builder()
    x = made.input("x", (_BATCH, _LENGTH, _WIDTH))
    for _ in range(layers):
        x = _encoder_layer(made, x)
    return made
