"""Random requests that keep all rules, those too that JSON Schema cannot say.

The rules are written here once more, and simply: nothing of the program decides what is valid.
"""

import io
import json
import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from hypothesis import strategies as st

from tests.places import ROOT

Json = dict[str, Any]
Draw = Callable[[st.SearchStrategy[Any]], Any]

TYPES: Final = {"float64": 8, "float32": 4, "bfloat16": 2, "int8": 1, "uint16": 2, "bool": 1}
INT64: Final = st.integers(-(2**63), 2**63 - 1)
LETTERS: Final = ("", "W", "HW", "CHW", "NCHW", "NCDHW")


def _shape(draw: Draw, least: int = 0, most: int = 5, smallest: int = 0) -> list[int]:
    found: list[int] = draw(st.lists(st.integers(smallest, 6), min_size=least, max_size=most))
    return found


def _strided(draw: Draw, shape: list[int]) -> Json:
    """Any strides, and an offset from which no address is below 0."""
    strides = [draw(st.integers(-9, 9)) for _ in shape]
    reach = sum(s * (n - 1) for s, n in zip(strides, shape, strict=True) if s < 0 < n)
    return {"strides": strides, "offset": draw(st.integers(-reach, 9 - reach))}


def _order(draw: Draw, rank: int) -> str:
    return "".join(draw(st.permutations(LETTERS[rank])))


def _packed(draw: Draw, rank: int) -> Any:
    """A layout in which each element has an address of its own, by rank."""
    forms: list[Callable[[], Any]] = [
        lambda: "onednn:" + "".join(draw(st.permutations("abcde"[:rank]))),
        lambda: _order(draw, rank),
    ]
    if rank == 4:
        forms += [lambda: f"NCHW{draw(st.sampled_from([2, 4, 8, 16]))}", lambda: "channels_last"]
    return draw(st.sampled_from(forms))() if rank else {"strides": []}


def _bytes(draw: Draw, shape: list[int], size_bytes: int) -> Json:
    found = _strided(draw, shape)
    return {
        "byte_strides": [each * size_bytes for each in found["strides"]],
        "byte_offset": found["offset"] * size_bytes,
    }


def tensor(draw: Draw, shape: list[int]) -> Json:
    dtype = draw(st.sampled_from(sorted(TYPES)))
    form = draw(st.sampled_from(["packed", "strides", "bytes"]))
    if form == "packed":
        layout = _packed(draw, len(shape))
    else:
        layout = _strided(draw, shape) if form == "strides" else _bytes(draw, shape, TYPES[dtype])
    found = {"shape": shape, "layout": layout, "dtype": dtype}
    if form != "packed" and draw(st.booleans()):
        found["dims"] = "".join(draw(st.permutations("NCDHWGOIab"))[: len(shape)])
    if draw(st.booleans()):
        found["elements"] = draw(st.integers(10**6, 2**63 - 1))
    return {name: found[name] for name in draw(st.permutations(list(found)))}


def _index(draw: Draw, size: int) -> str:
    part = st.one_of(st.just(""), st.integers(-9, 9).map(str))
    forms = [f"{draw(part)}:{draw(part)}:{draw(st.sampled_from(['', 1, 2, -1, -3]))}", ":"]
    if size:
        forms.append(str(draw(st.integers(-size, size - 1))))
    return str(draw(st.sampled_from(forms)))


def _slice(draw: Draw) -> Json:
    shape = _shape(draw, 1, smallest=1)
    body = {"tensor": tensor(draw, shape)}
    if draw(st.booleans()):
        return {**body, "index": ", ".join(_index(draw, n) for n in shape)}
    offsets = [draw(st.integers(0, n - 1)) for n in shape]
    sizes = [draw(st.integers(1, n - o)) for n, o in zip(shape, offsets, strict=True)]
    strides = [draw(st.sampled_from([-3, -1, 1, 2])) for _ in shape]
    return {**body, "window": {"offsets": offsets, "sizes": sizes, "strides": strides}}


def _view(draw: Draw) -> Json:
    shape = _shape(draw, 1, smallest=1)
    body = {"tensor": tensor(draw, shape)}
    rank, steps = len(shape), []
    for _ in range(draw(st.integers(0, 4))):
        d = draw(st.integers(-rank, rank - 1))
        order = draw(st.permutations(range(rank)))
        steps.append(
            draw(
                st.sampled_from(
                    [
                        {"op": "flip", "dim": d},
                        {"op": "permute", "dims": list(order)},
                        {"op": "transpose", "dim0": d, "dim1": 0},
                        {"op": "chunk", "dim": d, "chunks": 1, "index": 0},
                        {"op": "narrow", "dim": d, "start": 0, "length": 1},
                        {"op": "unsqueeze", "dim": d},
                        {"op": "T"},
                        {"op": "flatten", "start_dim": d, "end_dim": d},
                        {"op": "index", "index": "..., :1"},
                    ]
                )
            )
        )
        rank += steps[-1]["op"] == "unsqueeze"
    return {**body, "steps": steps}


def _reorder(draw: Draw) -> Json:
    shape = _shape(draw)
    return {"source": tensor(draw, shape), "target": _packed(draw, len(shape))}


def _with_values(draw: Draw) -> Json:
    shape = _shape(draw, smallest=1)
    rank = len(shape)
    source = {"shape": shape, "layout": _order(draw, rank) if rank else {"strides": []}}
    values = st.one_of(st.integers(-9, 9), st.floats(-1, 1, width=16), st.just("NaN"))
    buffer = [draw(values) for _ in range(min(math.prod(shape), 4))]
    whole = (buffer * math.prod(shape))[: math.prod(shape)]
    return {"source": source, "target": _packed(draw, rank), "values": whole}


def _cost(draw: Draw) -> Json:
    shape = _shape(draw, 2, 4, smallest=1)
    names = LETTERS[len(shape)]
    body = {"tensor": {"shape": shape, "layout": _order(draw, len(shape))}}
    if draw(st.booleans()):
        order = "".join(draw(st.permutations(names)))
        walk: Json = {"order": order, "line_bytes": draw(st.integers(1, 256))}
        if draw(st.booleans()):
            ways = draw(st.integers(1, 8))
            lines = ways * draw(st.integers(1, 64))
            walk["cache"] = {"bytes": walk["line_bytes"] * lines, "ways": ways}
        return {**body, "walk": walk}
    along = draw(st.permutations(names))[: draw(st.integers(1, len(names)))]
    at = [draw(st.integers(0, n - 1)) for n in shape]
    return {**body, "warp": {"along": list(along), "at": at, "lanes": draw(st.integers(1, 64))}}


def _offsets(draw: Draw) -> Json:
    shape = _shape(draw, smallest=1)
    coordinate = st.tuples(*(st.integers(0, n - 1) for n in shape)).map(list)
    return {"tensor": tensor(draw, shape), "coordinates": draw(st.lists(coordinate, max_size=5))}


def _operands(draw: Draw) -> Json:
    shape = _shape(draw)
    shapes = [
        [draw(st.sampled_from([n, 1])) for n in shape] for _ in range(draw(st.integers(1, 4)))
    ]
    dtype = draw(st.sampled_from(sorted(TYPES)))
    made = [
        {**tensor(draw, each[draw(st.integers(0, len(each))) :]), "dtype": dtype} for each in shapes
    ]
    return {
        "operands": [
            {k: v for k, v in one.items() if k != "layout"}
            | {"layout": _strided(draw, one["shape"])}
            for one in made
        ]
    }


REQUESTS: Final[dict[str, Callable[[Draw], Json]]] = {
    "describe": lambda draw: tensor(draw, _shape(draw)),
    "offsets": _offsets,
    "coordinates": lambda draw: {
        "tensor": tensor(draw, _shape(draw)),
        "offsets": draw(st.lists(INT64 | st.integers(-9, 99), max_size=9)),
    },
    "slice": _slice,
    "view": _view,
    "elementwise": _operands,
    "reorder": lambda draw: draw(st.sampled_from([_reorder, _with_values]))(draw),
    "schedule": lambda draw: {**_reorder(draw), "first": 0, "count": draw(st.integers(0, 9))},
    "cost": _cost,
}
# Of the other calls, the requests that the document shows.
SAMPLES: Final = json.loads((ROOT / "app" / "api" / "samples.json").read_bytes())["bodies"]


def request(draw: Draw, name: str) -> Json:
    """A request of a call."""
    found: Json = REQUESTS[name](draw) if name in REQUESTS else draw(st.sampled_from(SAMPLES[name]))
    return found


def query(draw: Draw) -> dict[str, str]:
    """The query of GET /describe."""
    shape = _shape(draw)
    found = {"shape": ",".join(map(str, shape))}
    layout = draw(st.sampled_from([_packed(draw, len(shape)), _strided(draw, shape)]))
    if isinstance(layout, str):
        return {**found, "layout": layout}
    strides = ",".join(map(str, layout["strides"]))
    return {**found, "strides": strides, "offset": str(layout.get("offset", 0))}


def file(draw: Draw) -> tuple[dict[str, str], bytes]:
    """The query and the body of a file reorder: .npy, or raw bytes."""
    shape = _shape(draw, 1, 4, smallest=1)
    names = LETTERS[len(shape)]
    asked = {"source": names, "target": _packed(draw, len(shape))}
    data = np.arange(math.prod(shape), dtype=np.float32).reshape(shape)
    if draw(st.booleans()):
        sizes = ",".join(map(str, shape))
        return {**asked, "shape": sizes, "dtype": "float32"}, data.tobytes()
    body = io.BytesIO()
    np.save(body, data)
    return asked, body.getvalue()
