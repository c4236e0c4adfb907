"""An int8 network in ONNX's operators, whose input is in NCHW4: four channels in a word."""

from __future__ import annotations

from .builder import Builder, Of


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
    """Two residual blocks and a join, as an inference engine for dp4a runs them."""
    made = _Quantised()
    x = made.qconv(made.input("x", (1, 4, 224, 224), layout="NCHW4", dtype="int8"), 32, 7, stride=2)
    x = made.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for out, stride in ((32, 1), (64, 2)):
        y = made.qconv(made.qconv(x, out, 3, stride=stride), out, 3)
        x = made.qadd(y, x if stride == 1 else made.qconv(x, out, 1, stride=stride))
    joined = made.cat([made.qconv(x, 32, 1), made.qconv(x, 32, 3)], op="Concat", along="axis")
    made.qconv(joined, 128, 1)
    return made
