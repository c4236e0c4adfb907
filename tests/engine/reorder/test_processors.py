"""Wherever source and target begin, on processors without AVX-512: a part of `make test`.

Each test compiles for another processor, so it needs none of the kernels compiled before, and
keeps its own in a folder of its own: Numba's index of a folder is for one process at a time.
"""

import json
import os
import subprocess
import sys
from itertools import product

import pytest

from tests.examples import SHARE
from tests.places import ROOT

ELSEWHERE = """
import json, random, sys
import numpy as np
from app.engine import parse_layout, reorder
from app.engine.reorder import cpu, execute
draw = random.Random(1)
for bits, source_name, target_name, shapes in json.loads(sys.argv[1]):
    dtype = f"u{-(-bits // 8)}"
    element = "int4" if bits == 4 else None
    for came_at, went_at in enumerate(draw.sample(range(64), 64)):
        shape = (2, *draw.choice(shapes))
        source, target = parse_layout(source_name, shape), parse_layout(target_name, shape)
        sizes = [-(-bits * x.buffer_elements // 8) for x in (source, target)]
        memories = [np.zeros(n + 128, np.uint8) for n in sizes]
        firsts = [-memory.ctypes.data % 64 + at for memory, at in zip(memories, (came_at, went_at))]
        came, went = (memory[k:][:n] for memory, k, n in zip(memories, firsts, sizes))
        came[:] = np.frombuffer(draw.randbytes(len(came)), np.uint8)
        cpu.STREAMED_BYTES = draw.choice((0, 1 << 40))
        execute._program.cache_clear()
        given, out = came.view(dtype), went.view(dtype)
        reorder(given, source, target, out=out, dtype=element, threads=1, backend="numba")
        expected = reorder(given.copy(), source, target, dtype=element, backend="numpy")
        assert np.array_equal(went, expected.view(np.uint8)), (shape, bits, came_at, went_at)
        went[:] = 0
        assert not memories[1].any(), (shape, bits, came_at, went_at)
print("done")
"""
SMALL = list(product((8, 30, 32), (3, 5, 16), (3, 9, 32)))
# Without the kernels for the shortest rows: each takes seconds to compile, for each processor.
WIDE = [(c, *sizes) for c, sizes in product((8, 30), ((5, 32), (16, 9), (16, 32)))]
CHANNELS = [shape for shape in SMALL if shape[0] != 8]
ROWS = [
    ("NHWC", "NCHW"),
    ("NCHW32", "NCHW"),
    ("NCHW", "NHWC"),
    ("NCHW", "NCHW4"),
    ("NCHW4", "NCHW"),
]
BLOCKS = [("NCHW", "NCHW32"), ("NCHW4", "NCHW32")]
FEWER_ROWS = ("NCHW", "CHWN4")
# Compiling takes long: of 8 and 4 bits, `make test` has the pairs whose kernels differ most.
NARROW = [(8, *pair, WIDE) for pair in (*ROWS, BLOCKS[0], FEWER_ROWS)]
NARROW += [(4, *pair, WIDE) for pair in (*ROWS, FEWER_ROWS)]
if SHARE > 1:
    NARROW = [(8, *ROWS[0], WIDE), (8, *ROWS[4], WIDE), (4, *ROWS[3], WIDE)]


@pytest.mark.parametrize(
    ("processor", "moves"),
    [
        ("haswell", [(32, *pair, SMALL) for pair in (*ROWS, *BLOCKS, FEWER_ROWS)]),
        ("haswell", NARROW),
        ("x86-64", [(32, *pair, CHANNELS) for pair in (ROWS[0], ROWS[3], ROWS[4])]),
    ],
    ids=["AVX2 of 32 bits", "AVX2 of 8 and 4 bits", "SSE2 of 32 bits"],
)
def test_every_alignment_without_avx_512(
    processor: str, moves: list[tuple[int, str, str, list[tuple[int, int, int]]]]
) -> None:
    """64 calls for each pair of layouts, in which either side begins at each byte of a line."""
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, json.dumps(moves)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env=os.environ
        | {"NUMBA_CPU_NAME": processor, "NUMBA_CACHE_DIR": str(ROOT / "build" / processor)},
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-2000:]
