"""MLIR: memref types, strides and affine maps, compared with jaxlib's MLIR, which folds maps."""

import itertools
import math
import random
from collections.abc import Iterator, Sequence

from jaxlib.mlir import ir

from app.engine import offsets_of, parse_layout
from app.engine.model.dtypes import DEFAULT
from app.engine.model.errors import LayoutError
from app.engine.model.layout import Digit, Layout, default_dims
from app.engine.notation import notations
from app.engine.notation.dialects import mlir
from app.engine.notation.specs import Spec
from conformance.report import Comparison, Refused, asked

_STRIDED, _MAPS, _MUTATED, _WRITTEN = 3000, 4000, 3000, 3000
_COORDINATES = 48
_ALPHABET = "d0123459x<>[](),:+-* modf"


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons with MLIR."""
    with ir.Context():
        yield _strided(rng)
        yield from _maps(rng)
        yield _mutated(rng)
        yield _written(rng)


def not_compared() -> str:
    """What is not compared with jaxlib's MLIR, and why."""
    return (
        "mlir: the sizes of the row-major array that a map of several results indexes, because no "
        "function of MLIR returns them; the results are compared, with the engine's sizes. "
        "Maps that MLIR reads and the engine refuses, because they do not separate per dimension."
    )


def _shape(rng: random.Random, rank: int) -> tuple[int, ...]:
    return tuple(rng.choice((1, 2, 3, 4, 5, 8, 9)) for _ in range(rank))


def _coordinates(rng: random.Random, shape: Sequence[int]) -> list[tuple[int, ...]]:
    if math.prod(shape) <= _COORDINATES:
        return list(itertools.product(*map(range, shape)))
    some = [tuple(rng.randrange(n) for n in shape) for _ in range(_COORDINATES - 1)]
    return [*some, tuple(n - 1 for n in shape)]


def _evaluated(map_: ir.AffineMap, where: Sequence[tuple[int, ...]]) -> list[list[int]]:
    """The results of the map at each coordinate, as MLIR folds them to constants."""
    values = []
    for coordinate in where:
        constants = ir.AffineMap.get(0, 0, [ir.AffineConstantExpr.get(i) for i in coordinate])
        folded = [ir.AffineExpr.compose(result, constants) for result in map_.results]
        values.append([ir.AffineConstantExpr(expression).value for expression in folded])
    return values


def _memref(text: str) -> ir.MemRefType:
    return ir.MemRefType(ir.Type.parse(text))


def _addresses(text: str, where: Sequence[tuple[int, ...]]) -> list[int]:
    """Addresses by a memref of at most one result, or by its strides if it has no map."""
    live = _memref(text)
    results = _evaluated(live.affine_map, where)
    if all(len(r) == 1 for r in results):
        return [r[0] for r in results]
    if "affine_map" in text:
        raise ValueError("a map of several results")
    strides, offset = live.get_strides_and_offset()
    return [offset + sum(i * s for i, s in zip(r, strides, strict=True)) for r in results]


def _strided(rng: random.Random) -> Comparison:
    result = Comparison("mlir", "memref of strides and offset: as jaxlib's MLIR parses it")
    for _ in range(_STRIDED):
        shape = _shape(rng, rng.randint(0, 5))
        strides = [rng.choice((0, 1, 2, 3, 7, 12, 100, -1, -4)) for _ in shape]
        lowest = -sum(min((n - 1) * s, 0) for n, s in zip(shape, strides, strict=True))
        at = rng.choice(("", f", offset: {lowest + rng.randint(0, 5)}"))
        inside = rng.choice((f", strided<[{', '.join(map(str, strides))}]{at}>", ""))
        text = f"memref<{''.join(f'{n}x' for n in shape)}f32{inside}{rng.choice(('', ', 1'))}>"
        live = asked(_memref, text, refusal=ir.MLIRError)
        if not isinstance(live, Refused):
            said, offset = live.get_strides_and_offset()
            live = (tuple(live.shape), tuple(said), offset)
            if offset < -sum(min((n - 1) * s, 0) for n, s in zip(shape, said, strict=True)):
                live = Refused("reaches addresses below 0")
        found = asked(parse_layout, text, shape)
        ours = found
        if isinstance(found, Layout):
            ours = (mlir.read(text).shape, found.strides, found.offset)
        result.equal(ours, live, text)
    return result


def _expression(rng: random.Random, names: Sequence[str], depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        return rng.choice((*names, *names, str(rng.randint(0, 9))))
    kind = rng.random()
    left = _expression(rng, names, depth - 1)
    if kind < 0.35:
        return f"{left} + {_expression(rng, names, depth - 1)}"
    if kind < 0.4:
        return f"({left}) - {rng.randint(0, 3)}"
    if kind < 0.7:
        return f"({left}) * {rng.choice((1, 2, 3, 4, 12))}"
    operator = rng.choice(("floordiv", "mod", "ceildiv"))
    return f"({left}) {operator} {rng.choice((1, 2, 3, 4, 8))}"


def _maps(rng: random.Random) -> list[Comparison]:
    single = Comparison("mlir", "affine maps of one result: addresses as MLIR folds them")
    several = Comparison("mlir", "affine maps of several results: as MLIR folds them, row-major")
    while single.cases + several.cases < _MAPS:
        shape = _shape(rng, rng.randint(1, 3))
        names = [f"d{d}" for d in range(len(shape))]
        count = rng.choice((1, 2, 3))
        results = [_expression(rng, names, rng.randint(1, 4)) for _ in range(count)]
        text = f"affine_map<({', '.join(names)}) -> ({', '.join(results)})>"
        try:
            layout = parse_layout(text, shape)
        except LayoutError:
            continue
        where = _coordinates(rng, shape)
        live = _evaluated(ir.AffineMapAttr(ir.Attribute.parse(text)).value, where)
        ours = [int(a) for a in offsets_of(layout, where)]
        if count == 1:
            single.equal(ours, [r[0] for r in live], text, shape)
            continue
        # Distinct results must have distinct addresses in lexicographic order.
        pairs = sorted(zip(live, ours, strict=True))
        ordered = all(
            (a[0] == b[0]) == (a[1] == b[1]) and a[1] <= b[1] for a, b in itertools.pairwise(pairs)
        )
        several.equal(ordered, True, text, shape, pairs)  # noqa: FBT003  # the expected value
    return [single, several]


def _mutated(rng: random.Random) -> Comparison:
    result = Comparison("mlir", "mistyped memrefs: refused where MLIR refuses, else read alike")
    while result.cases < _MUTATED:
        layout = random_layout(rng)
        text = list(notations(layout, DEFAULT)["mlir"].get("text", "memref<2xf32>"))
        for _ in range(rng.randint(1, 2)):
            at = rng.randrange(len(text) + 1)
            text[at : at + rng.randint(0, 1)] = [rng.choice(_ALPHABET)] * rng.randint(0, 1)
        typed = "".join(text).strip()
        said = mlir.DIALECT.attempt(typed)
        shape = (said.shape if isinstance(said, Spec) else None) or ()
        found = asked(parse_layout, f"mlir:{typed}", shape)
        if isinstance(found, Refused) or math.prod(shape) > 1 << 20:
            continue  # the engine refuses more: maps that do not separate, negative addresses
        where = _coordinates(rng, shape) if 0 not in shape else []
        ours = [int(a) for a in offsets_of(found, where)] if where else []
        live = asked(_addresses, typed, where, refusal=(ir.MLIRError, ValueError))
        if isinstance(live, Refused) and live.reason == "a map of several results":
            continue
        result.equal(ours, live, typed)
    return result


def random_layout(rng: random.Random) -> Layout:
    """Up to three digits per dimension, with any strides; the digits may pad the sizes."""
    digits = tuple(
        tuple(
            Digit(rng.choice((1, 2, 3, 4)), rng.choice((-4, -1, 0, 1, 2, 3, 4, 8, 12, 36)))
            for _ in range(rng.choice((1, 1, 2, 3)))
        )
        for _ in range(rng.randint(1, 4))
    )
    shape = []
    for mine in digits:
        inner = math.prod(g.extent for g in mine[1:])
        shape.append(inner * (mine[0].extent - 1) + rng.randint(1, inner))
    lowest = sum(min(g.reach, 0) for mine in digits for g in mine)
    return Layout(tuple(shape), default_dims(len(shape)), digits, rng.randint(0, 3) - lowest)


def _written(rng: random.Random) -> Comparison:
    result = Comparison("mlir", "texts that the engine writes, read and folded by MLIR")
    while result.cases < _WRITTEN:
        layout = random_layout(rng)
        text = notations(layout, DEFAULT)["mlir"].get("text")
        if text is None:
            continue
        where = _coordinates(rng, layout.shape)
        ours = [int(a) for a in offsets_of(layout, where)]
        result.equal(ours, asked(_addresses, text, where, refusal=ir.MLIRError), text)
    return result
