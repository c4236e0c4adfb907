"""The mixed load: what callers of the service send, and how often each."""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

_LAYOUTS: Final = ("NCHW", "NHWC", "NCHW4", "NCHW32", "onednn:aBcd16b", "CHWN4", "channels_last")
_DTYPES: Final = ("float32", "float16", "int8", "float64")


@dataclass(frozen=True, slots=True)
class Call:
    """One call. ``kind``: its row in the report."""

    kind: str
    method: str
    path: str
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


def _posted(kind: str, body: Any) -> Call:
    return Call(
        kind,
        "POST",
        f"/api/v1/{kind}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )


def _tensor(chance: random.Random, most: int = 64) -> dict[str, Any]:
    shape = [chance.randint(1, 4), chance.randint(1, most), chance.randint(1, 32), 8]
    return {"shape": shape, "layout": chance.choice(_LAYOUTS), "dtype": chance.choice(_DTYPES)}


def _describe(chance: random.Random) -> Call:
    return _posted("describe", _tensor(chance))


def _described(chance: random.Random) -> Call:
    shape = f"1,{chance.randint(1, 200)},7,7"
    return Call("GET describe", "GET", f"/api/v1/describe?shape={shape}&layout=NCHW4")


def _offsets(chance: random.Random) -> Call:
    tensor = {"shape": [4, 64, 16, 16], "layout": chance.choice(_LAYOUTS)}
    rows = [[chance.randrange(4), chance.randrange(64), i % 16, 3] for i in range(1000)]
    return _posted("offsets", {"tensor": tensor, "coordinates": rows})


def _coordinates(chance: random.Random) -> Call:
    tensor = {"shape": [4, 60, 16, 16], "layout": chance.choice(_LAYOUTS)}
    return _posted("coordinates", {"tensor": tensor, "offsets": chance.sample(range(50000), 1000)})


def _reorder(chance: random.Random) -> Call:
    tensor = {"shape": [1, chance.choice((3, 64)), 16, 16], "layout": "NCHW"}
    return _posted("reorder", {"source": tensor, "target": chance.choice(_LAYOUTS)})


def _large_reorder(chance: random.Random) -> Call:
    tensor = {"shape": [1, 64, 64, chance.choice((32, 64))], "layout": "NCHW"}
    return _posted("reorder", {"source": tensor, "target": "NHWC"})


def _slice(chance: random.Random) -> Call:
    tensor = {"shape": [2, 16, 32, 32], "layout": chance.choice(_LAYOUTS)}
    return _posted("slice", {"tensor": tensor, "index": f"0, ::-1, {chance.randrange(8)}:20:2"})


def _view(chance: random.Random) -> Call:
    steps = [{"op": "permute", "dims": [0, 2, 3, 1]}, {"op": "flip", "dim": chance.randrange(4)}]
    return _posted("view", {"tensor": {"shape": [2, 6, 4, 5], "layout": "NCHW"}, "steps": steps})


_NODE: Final = {"op": "conv2d", "inputs": ["x", "w"], "outputs": ["y"], "attributes": {}}


def _propagate(chance: random.Random) -> Call:
    graph = {
        "inputs": {"x": {"shape": [1, 16, 32, 32], "layout": "NHWC"}},
        "constants": {"w": {"shape": [chance.choice((16, 32)), 16, 3, 3]}},
        "nodes": [_NODE],
    }
    rules = chance.choice(("pytorch-eager", "onnxruntime-cpu", "onednn"))
    return _posted("propagate", {"graph": graph, "rules": rules})


def _file(chance: random.Random) -> Call:
    side = chance.choice((128, 256))
    body = np.arange(64 * side * side, dtype=np.int32).tobytes()
    query = f"shape=1,64,{side},{side}&source=NCHW&target=NCHW16&dtype=int32"
    headers = {"Content-Type": "application/octet-stream"}
    return Call("reorder/file", "POST", f"/api/v1/reorder/file?{query}", body, headers)


def _refused(chance: random.Random) -> Call:
    del chance
    return _posted("describe", {"shape": [2, True], "layout": "NCHQ"})


def _page(chance: random.Random) -> Call:
    return Call("pages", "GET", chance.choice(("/", "/network", "/api/v1/formats")))


# How many of 100 calls are of each kind. A large reorder answers megabytes of JSON, a file 16 MB.
_MIX: Final[tuple[tuple[int, Callable[[random.Random], Call]], ...]] = (
    (30, _describe),
    (15, _described),
    (8, _offsets),
    (8, _coordinates),
    (8, _reorder),
    (1, _large_reorder),
    (8, _slice),
    (8, _view),
    (5, _propagate),
    (1, _file),
    (3, _refused),
    (5, _page),
)


def mixed(seed: int, count: int) -> list[Call]:
    """Return ``count`` calls, the same for the same ``seed``."""
    chance = random.Random(seed)  # noqa: S311  # not a secret
    makers = [maker for weight, maker in _MIX for _ in range(weight)]
    return [chance.choice(makers)(chance) for _ in range(count)]
