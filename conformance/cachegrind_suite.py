"""Cachegrind: the misses of walks that are compiled from their loops and run in its simulation.

Each walk is a C function of nested loops that computes every address by the model's formula and
reads one element there. Cachegrind counts the misses of that one line of code. Needs valgrind and
a C compiler, both Debian packages.
"""

import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.engine.cost.cache import Cache
from app.engine.cost.nest import order_text, parse_order
from app.engine.cost.walk import Hierarchy, walk_cost
from app.engine.model.dtypes import ELEMENT_TYPES
from app.engine.model.layout import Layout, default_dims
from app.engine.notation import parse_layout
from app.engine.notation.orders import Order
from conformance.report import Comparison

# Bytes, ways and bytes of a line of the first-level data cache.
_GEOMETRIES = ((32768, 8, 64), (4096, 1, 64), (8192, 4, 32), (2048, 32, 64))
_NAMED = (
    ((4, 32, 14, 14), "NCHW", "NHWC"),
    ((4, 32, 14, 14), "NHWC", "NCHW"),
    ((2, 30, 13, 11), "NCHW4", "NCHW"),
    ((2, 30, 13, 11), "NCHW4", "NHWC4c"),
    ((128, 128), "HW", "WH"),
    ((128, 128), "HW", "HW16h16w"),
    ((3, 70, 70), "(0, 70, 1)", "CHW"),
    ((64, 64), "(-65, 1)+4095", "WH"),
)
_RANDOM = 12
_TYPES = {"int8": "unsigned char", "float32": "unsigned", "float64": "unsigned long"}  # by size
# The address decides on the set, so buffers begin at a multiple of every cache's size. They are
# aligned while the program runs: valgrind finds no code lines of a program with aligned variables.
_BUFFER_BYTES = 1 << 18
_POOL = "static char pool[{bytes}];"
_MAIN = """int main(int sum, char **_) {{
char *start = (char *)(((unsigned long)pool + {bytes} - 1) & -(unsigned long){bytes});
{calls}
return sum == 77; }}"""


@dataclass(frozen=True, slots=True)
class _Walk:
    """A layout, its element type, and the order of the loops."""

    layout: Layout
    dtype: str
    order: Order


def compare(rng: random.Random) -> Iterator[Comparison]:
    """Lines that walks fetch, under several caches."""
    for program in ("valgrind", "gcc"):
        if shutil.which(program) is None:
            raise ImportError(f"{program} is not installed")
    walks = [*_named(), *(_random(rng) for _ in range(_RANDOM))]
    with tempfile.TemporaryDirectory() as folder:
        lines = _compiled(walks, Path(folder))
        for size_bytes, ways, line_bytes in _GEOMETRIES:
            geometry = f"{size_bytes},{ways},{line_bytes}"
            comparison = Comparison("cachegrind", f"lines fetched, cache {geometry}")
            counted = _counted(Path(folder), geometry, lines)
            memory = Hierarchy(line_bytes, cache=Cache(size_bytes // line_bytes, ways))
            for walk, found in zip(walks, counted, strict=True):
                dims = walk.layout.dims
                order = order_text(walk.order, dims)
                cost = walk_cost(walk.layout, ELEMENT_TYPES[walk.dtype], order, memory)
                own = (cost.accesses, cost.lines.fetched)
                comparison.equal(own, found, walk.layout, order, walk.dtype, geometry)
            yield comparison


def not_compared() -> str:
    """What is not compared with cachegrind, and why."""
    return "cachegrind: pages, because it simulates no table of pages; types of 4 bits."


def _named() -> Iterator[_Walk]:
    for shape, text, order in _NAMED:
        layout = parse_layout(text, shape)
        yield _Walk(layout, "float32", parse_order(order, layout.dims))


def _random(rng: random.Random) -> _Walk:
    shape = tuple(rng.randint(2, 24) for _ in range(rng.randint(2, 3)))
    blocks = [(rng.randrange(len(shape)), rng.choice((2, 4, 8))) for _ in range(rng.randint(0, 2))]
    outer = [(d, None) for d in rng.sample(range(len(shape)), len(shape))]
    layout = Layout.packed(shape, default_dims(len(shape)), [*outer, *blocks])
    order: Order = tuple((d, None) for d in rng.sample(range(len(shape)), len(shape)))
    return _Walk(layout, rng.choice(list(_TYPES)), order)


def _compiled(walks: Sequence[_Walk], folder: Path) -> list[int]:
    """Compile one program of all walks; return the line of code that reads in each."""
    text = [_POOL.format(bytes=(len(walks) + 1) * _BUFFER_BYTES)]
    lines = []
    calls = []
    for number, walk in enumerate(walks):
        kind = _TYPES[walk.dtype]
        text.append(f"__attribute__((noinline)) static {kind} walk{number}({kind} *b, {kind} s) {{")
        text += _loops(walk)
        # What is read must be used: valgrind leaves out a read whose value nobody needs.
        text.append(f"s += *(volatile {kind} *)(b + ({_address(walk)}));")
        lines.append(len(text))
        text.append("}" * len(walk.order) + "return s; }")
        buffer = f"({kind} *)(start + {number * _BUFFER_BYTES})"
        calls.append(f"sum += walk{number}({buffer}, ({kind})sum);")
    text.append(_MAIN.format(calls=" ".join(calls), bytes=_BUFFER_BYTES))
    source = folder / "walks.c"
    source.write_text("\n".join(text), "utf-8")
    command = ["gcc", "-O2", "-gdwarf-4", "-w", str(source), "-o", str(folder / "walks")]
    done = subprocess.run(  # noqa: S603  # our own program
        command, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ImportError(f"gcc: {done.stderr.strip()[:300]}")
    return lines


def _loops(walk: _Walk) -> Iterator[str]:
    """One loop per entry of the order, outermost first; i0, i1, … are the indices of dimensions."""
    inside: dict[int, int] = {}
    for d, block in walk.order:
        inside[d] = inside.get(d, 1) * (block or 1)
    place = dict(inside)
    terms: dict[int, list[str]] = {d: [] for d in inside}
    for at, (d, block) in enumerate(walk.order):
        if block is None:
            step, steps = inside[d], -(-walk.layout.shape[d] // inside[d])
        else:
            place[d] //= block
            step, steps = place[d], block
        terms[d].append(f"{step} * l{at}")
        size = walk.layout.shape[d]
        whole = len(terms[d]) == sum(e == d for e, _ in walk.order)
        last = f"long i{d} = {' + '.join(terms[d])}; if (i{d} >= {size}) break;" if whole else ""
        yield f"for (long l{at} = 0; l{at} < {steps}; l{at}++) {{ {last}"


def _address(walk: _Walk) -> str:
    """The model's formula in C."""
    terms = [str(walk.layout.offset)]
    for d, digits in enumerate(walk.layout.digits):
        place = 1
        for g in reversed(digits):
            terms.append(f"i{d} / {place} % {g.extent} * ({g.stride})")
            place *= g.extent
    return " + ".join(terms)


def _counted(folder: Path, geometry: str, lines: Sequence[int]) -> list[tuple[int, int]]:
    """(reads, misses) of each line of code."""
    out = folder / "cachegrind.out"
    command = [
        "valgrind",
        "--tool=cachegrind",
        "--cache-sim=yes",
        f"--D1={geometry}",
        f"--cachegrind-out-file={out}",
        str(folder / "walks"),
    ]
    done = subprocess.run(  # noqa: S603  # our own program
        command, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ImportError(f"valgrind: {done.stderr.strip()[-300:]}")
    found = dict.fromkeys(lines, (0, 0))
    ours = False
    for row in out.read_text("utf-8").splitlines():
        if row.startswith("fl="):
            ours = row.endswith("walks.c")
        elif ours and row[:1].isdigit():
            line, _ir, _i1, _il, reads, misses, *_ = map(int, row.split())
            if line in found:
                before = found[line]
                found[line] = (before[0] + reads, before[1] + misses)
    return [found[line] for line in lines]
