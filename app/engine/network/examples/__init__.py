"""Example networks: single blocks and whole networks, as JSON of the contract and as graphs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

from ....nearest import nearest
from ...model.errors import Described, LayoutError, one_of
from ..graph import Graph
from . import networks
from .builder import Builder, Json


@dataclass(frozen=True, slots=True)
class Example:
    """A network to start from.

    ``name``: as the API takes it. ``title``: for people. ``shows``: what it shows, in one sentence.
    """

    name: str
    title: str
    shows: str
    build: Callable[[], Builder]

    @property
    def graph(self) -> Graph:
        """The network, checked."""
        return _built(self)[1]

    @property
    def json(self) -> Json:
        """The network as JSON of the contract. Callers must not change it."""
        return _built(self)[0]


@lru_cache(maxsize=32)
def _built(example: Example) -> tuple[Json, Graph]:
    made = example.build()
    return made.json(), made.graph()


_ALL = (
    Example("conv-norm-relu", "Convolution, norm, activation",
        "A channels_last input stays channels_last through a convolution and what follows it.",
        networks.conv_norm_relu),
    Example("residual-block", "Residual block",
        "Two operators read one tensor: a copy in another layout can serve both.",
        networks.residual_block),
    Example("inception-block", "Inception block with chunk and concat",
        "A chunk along the channels of a channels_last tensor is not dense; "
        "concat has to choose a layout for operands that differ.", networks.inception_block),
    Example("unet-skip", "U-Net skip",
        "A tensor is kept for long and then joined with one that came another way.",
        networks.unet_skip),
    Example("unet", "U-Net", "Four skips at once: each has to agree with the way up.",
        networks.unet),
    Example("resnet-50", "ResNet-50",
        "Sixteen residual blocks. The first convolution reads row-major and writes blocks, and "
        "the last pooling leaves one element of each channel: one layout between them is free.",
        networks.resnet_50),
    Example("mobilenet-v3-large", "MobileNetV3-Large",
        "Depthwise convolutions, and squeezes that make an image of one element and "
        "multiply by it.", networks.mobilenet_v3_large),
    Example("densenet-121", "DenseNet-121",
        "Each layer reads all layers before it, which is hard for planners: "
        "many tensors live at the same time.", networks.densenet_121),
    Example("int8-nchw4", "An int8 network in NCHW4",
        "8-bit integers in groups of four channels, with sums that need float in between.",
        networks.int8_nchw4),
    Example("bert-layer", "One encoder layer of BERT-base",
        "Attention moves the heads before the words and back: four transposes.",
        partial(networks.bert, 1)),
    Example("bert-base", "BERT-base", "Twelve encoder layers with 48 transposes of heads.",
        partial(networks.bert, 12)),
)  # fmt: skip  # a table: a row an example

EXAMPLES: Mapping[str, Example] = {each.name: each for each in _ALL}


def find_example(name: str) -> Example:
    """The example of that name. Errors: LayoutError naming ``name``."""
    found = EXAMPLES.get(name)
    if found is None:
        got = Described("a name that no example has")
        raise LayoutError("name", got, one_of(EXAMPLES), suggestion=nearest(name, tuple(EXAMPLES)))
    return found


__all__ = ["EXAMPLES", "Example", "find_example"]
