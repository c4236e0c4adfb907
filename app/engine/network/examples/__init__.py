"""Example networks: single blocks and whole networks, each a file beside this module.

``index.json`` lists them. A file holds the network as JSON of the contract. Weights are constants
without values: only their sizes matter for layouts. Sources of the whole networks: He et al. 2015,
table 1, with the stride on the 3x3, as in torchvision (ResNet-50); Howard et al. 2019, table 1,
with the sizes of squeezes in torchvision (MobileNetV3-Large); Huang et al. 2016, table 1 and
section 4.1 (DenseNet-121); Ronneberger et al. 2015, figure 1, with padding so that sizes match
(U-Net); Devlin et al. 2018, over 128 words (BERT-base).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ....nearest import nearest
from ...model.dtypes import parse_dtype
from ...model.errors import Described, LayoutError, one_of
from ...notation import parse_layout
from ..graph import Graph
from ..labels import row_major
from ..nodes import GraphTensor, NodeSource

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Example:
    """A network to start from.

    ``name``: as the API takes it. ``title``: for people. ``shows``: what it shows, in one sentence.
    ``shows_under``: the rule sets under which that is true, and ``plan`` for a plan; empty where it
    does not depend on them.
    """

    name: str
    title: str
    shows: str
    shows_under: Sequence[str] = ()

    @property
    def graph(self) -> Graph:
        """The network, checked."""
        return _read(self.name)[1]

    @property
    def json(self) -> Json:
        """The network as JSON of the contract. Callers must not change it."""
        return _read(self.name)[0]


def _json(name: str) -> Any:
    return json.loads((Path(__file__).parent / f"{name}.json").read_text("utf-8"))


@lru_cache(maxsize=32)
def _read(name: str) -> tuple[Json, Graph]:
    made: Json = _json(name)
    inputs, constants = (
        {each: _tensor(given) for each, given in made[side].items()}
        for side in ("inputs", "constants")
    )
    nodes = [NodeSource(**each) for each in made["nodes"]]
    return made, Graph.of(inputs=inputs, constants=constants, nodes=nodes)


def _tensor(given: Json) -> GraphTensor:
    """An input or a constant; row-major, unless its layout is named by the letters of its sizes."""
    shape, named = tuple(given["shape"]), given.get("layout")
    values = tuple(given["values"]) if "values" in given else None
    dtype = parse_dtype(given["dtype"])
    if not isinstance(named, str):
        return GraphTensor(row_major(shape), dtype, values)
    layout = parse_layout(named, shape)
    return GraphTensor(layout, dtype, values, layout.dims)


EXAMPLES: Mapping[str, Example] = {row["name"]: Example(**row) for row in _json("index")}


def find_example(name: str) -> Example:
    """The example of that name. Errors: LayoutError naming ``name``."""
    found = EXAMPLES.get(name)
    if found is None:
        got = Described("a name that no example has")
        raise LayoutError("name", got, one_of(EXAMPLES), suggestion=nearest(name, tuple(EXAMPLES)))
    return found
