"""XLA: shapes and layouts, compared with jaxlib's own parser and the bytes of real arrays."""

import ctypes
import math
import random
from collections.abc import Iterator, Sequence

import jax
import numpy as np
import numpy.typing as npt
from jax.experimental.layout import Format
from jax.experimental.layout import Layout as JaxLayout
from jax.sharding import SingleDeviceSharding
from jaxlib import _jax, xla_client

from app.engine import offset_map, parse_layout, reorder
from app.engine.model.dtypes import ELEMENT_TYPES
from app.engine.model.layout import Layout, default_dims
from app.engine.notation import notations
from app.engine.notation.dialects import xla
from app.engine.notation.specs import Spec
from conformance.report import Comparison, Refused, asked

_PARSED, _MUTATED, _WRITTEN, _ARRAYS, _TILED = 3000, 3000, 1500, 150, 2000
_TYPES = {
    "pred": "bool",
    "s8": "int8",
    "s32": "int32",
    "u16": "uint16",
    "u64": "uint64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "f8e4m3fn": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
    "s4": "int4",
    "u4": "uint4",
}
_MOST_ELEMENTS = 1 << 14
_ALPHABET = "fsub[]{},:T()0123458 "


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons with XLA."""
    yield _parsed(rng)
    yield _mutated(rng)
    yield _written(rng)
    yield _arrays(rng)
    yield _tiled(rng)


def not_compared() -> str:
    """What is not compared with jaxlib on a CPU, and why."""
    return (
        "xla: bytes of tiled arrays, which the CPU client does not make: the tiles above are "
        "compared with the pad, reshape and transpose that XLA's document defines, in NumPy. "
        "Layouts that XLA's parser accepts and the engine refuses with a reason (*, D, L, SC, ...)."
    )


def _tiles(rng: random.Random, rank: int) -> list[tuple[int, ...]]:
    """Up to three tiles; each divides the one before it."""
    tiles: list[tuple[int, ...]] = []
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        before = tiles[-1] if tiles else None
        most = len(before) if before else rank
        if not most:
            break
        count = rng.randint(1, most)
        if before is None:
            tiles.append(tuple(rng.choice((1, 2, 3, 4, 6, 8, 128)) for _ in range(count)))
        else:
            ends = before[-count:]
            tiles.append(
                tuple(rng.choice([k for k in range(1, n + 1) if n % k == 0]) for n in ends)
            )
    return tiles


def _text(rng: random.Random) -> tuple[str, tuple[int, ...], list[int], list[tuple[int, ...]]]:
    rank = rng.randint(1, 5)
    shape = tuple(rng.choice((0, 1, 2, 3, 5, 8, 9, 16)) for _ in range(rank))
    minor_to_major = rng.sample(range(rank), rank)
    tiles = _tiles(rng, rank)
    written = ":T" + "".join(f"({','.join(map(str, t))})" for t in tiles) if tiles else ""
    space = rng.choice(("", "", "", "S(1)" if tiles else ":S(1)"))
    sizes, dims = ",".join(map(str, shape)), ",".join(map(str, minor_to_major))
    text = f"{rng.choice(list(_TYPES))}[{sizes}]{{{dims}{written}{space}}}"
    return text, shape, minor_to_major, tiles


def _live(text: str) -> object:
    """Type, sizes, minor_to_major and tiles, as XLA reads them."""
    module = _jax.hlo_module_from_text(f"HloModule m\nENTRY e {{ ROOT p = {text} parameter(0) }}")
    proto = module.as_serialized_hlo_module_proto()
    shape = xla_client.XlaComputation(proto).program_shape().result_shape()
    layout = shape.layout()
    return (
        str(shape).split("[", maxsplit=1)[0],  # the enumeration in Python has no s2, u1, …
        tuple(shape.dimensions()),
        tuple(layout.minor_to_major()),
        [tuple(tile) for tile in layout.tiling() or ()],
    )


def _memory(
    shape: Sequence[int], minor_to_major: Sequence[int], tiles: Sequence[Sequence[int]]
) -> npt.NDArray[np.int64]:
    """The row-major index at each address, -1 for padding, exactly as in tiled_layout.md."""
    array = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
    array = array.transpose(minor_to_major[::-1])
    for tile in tiles:
        outer = array.ndim - len(tile)
        pads = [(0, 0)] * outer
        pads += [(0, -n % t) for n, t in zip(array.shape[outer:], tile, strict=True)]
        array = np.pad(array, pads, constant_values=-1)
        split = [x for n, t in zip(array.shape[outer:], tile, strict=True) for x in (n // t, t)]
        array = array.reshape(*array.shape[:outer], *split)
        order = [*range(outer), *range(outer, array.ndim, 2), *range(outer + 1, array.ndim, 2)]
        array = array.transpose(order)
    return array.ravel()


def _memory_of(layout: Layout) -> npt.NDArray[np.int64]:
    memory = np.full(math.prod(layout.padded_shape), -1, dtype=np.int64)
    memory[offset_map(layout).ravel()] = np.arange(layout.elements)
    return memory


def _parsed(rng: random.Random) -> Comparison:
    result = Comparison("xla", "type, sizes, minor_to_major, tiles: as jaxlib parses the text")
    for _ in range(_PARSED):
        text, shape, minor_to_major, tiles = _text(rng)
        live = asked(_live, text, refusal=Exception)
        name = text[: text.index("[")]
        said = (name, shape, tuple(minor_to_major), tiles)
        # The engine must read the text with the type and sizes that XLA reads.
        read = xla.DIALECT.attempt(text)
        own = (read.dtype, read.shape) if isinstance(read, Spec) else (None, None)
        found = asked(parse_layout, text, shape, None, _TYPES[name])
        ours = Refused() if isinstance(found, Refused) or own != (_TYPES[name], shape) else said
        result.equal(ours, live, text, own)
    return result


def _mutated(rng: random.Random) -> Comparison:
    result = Comparison("xla", "mistyped texts: refused where jaxlib refuses, else read alike")
    while result.cases < _MUTATED:
        text = list(_text(rng)[0])
        for _ in range(rng.randint(1, 2)):
            at = rng.randrange(len(text) + 1)
            text[at : at + rng.randint(0, 1)] = [rng.choice(_ALPHABET)] * rng.randint(0, 1)
        typed = "".join(text).strip()
        read = xla.DIALECT.attempt(typed)
        shape, dtype = (read.shape, read.dtype) if isinstance(read, Spec) else (None, None)
        found = asked(parse_layout, f"xla:{typed}", shape or (), None, dtype or "float32")
        live = asked(_live, typed, refusal=Exception)
        if isinstance(found, Refused) or math.prod(found.padded_shape) > _MOST_ELEMENTS:
            continue  # the engine refuses more than XLA's parser, for example ragged tiles
        if isinstance(live, Refused):
            result.equal("a layout", live, typed)
            continue
        name, sizes, minor_to_major, tiles = live
        result.equal((dtype, shape), (_TYPES.get(name, dtype), sizes), typed)
        if sizes == shape:
            memory = _memory(sizes, minor_to_major, tiles).tolist()
            result.equal(_memory_of(found).tolist(), memory, typed)
    return result


def _written(rng: random.Random) -> Comparison:
    result = Comparison("xla", "texts that the engine writes, read by jaxlib: the same memory")
    while result.cases < _WRITTEN:
        rank = rng.randint(1, 4)
        shape = tuple(rng.choice((1, 2, 3, 5, 8)) for _ in range(rank))
        order: list[tuple[int, int | None]] = [(d, None) for d in rng.sample(range(rank), rank)]
        order += [(rng.randrange(rank), rng.choice((2, 3, 4))) for _ in range(rng.randint(0, 3))]
        layout = Layout.packed(shape, default_dims(rank), order)
        text = notations(layout, ELEMENT_TYPES["float32"])["xla"].get("text")
        if text is None:
            continue
        live = asked(_live, text, refusal=Exception)
        memory = live if isinstance(live, Refused) else _memory(*live[1:]).tolist()
        result.equal(_memory_of(layout).tolist(), memory, text)
    return result


def _arrays(rng: random.Random) -> Comparison:
    result = Comparison("xla", "real arrays with a layout: the value at every address")
    device = SingleDeviceSharding(jax.devices("cpu")[0])
    for _ in range(_ARRAYS):
        rank = rng.randint(1, 5)
        shape = tuple(rng.randint(1, 5) for _ in range(rank))
        major_to_minor = tuple(rng.sample(range(rank), rank))
        dtype = rng.choice(("float32", "int8", "bfloat16"))
        values = np.arange(math.prod(shape)) % 120
        plain = values.astype(ELEMENT_TYPES[dtype].numpy())
        live = jax.device_put(plain.reshape(shape), Format(JaxLayout(major_to_minor), device))
        live.block_until_ready()
        raw = ctypes.string_at(live.unsafe_buffer_pointer(), plain.nbytes)
        text = f"xla:{{{','.join(map(str, major_to_minor[::-1]))}}}"
        source = parse_layout("pytorch:contiguous_format", shape)
        ours = reorder(plain, source, parse_layout(text, shape, source.dims, dtype))
        memory = np.frombuffer(raw, dtype=plain.dtype)
        result.equal(ours.tolist(), memory.tolist(), text, shape, dtype)
    return result


def _tiled(rng: random.Random) -> Comparison:
    result = Comparison("xla", "tiles: memory by the document's pad, reshape, transpose (NumPy)")
    while result.cases < _TILED:
        text, shape, minor_to_major, tiles = _text(rng)
        found = asked(parse_layout, text, shape)
        if isinstance(found, Layout) and math.prod(found.padded_shape) > _MOST_ELEMENTS * 16:
            continue
        ours = found if isinstance(found, Refused) else _memory_of(found).tolist()
        result.equal(ours, _memory(shape, minor_to_major, tiles).tolist(), text)
    return result
