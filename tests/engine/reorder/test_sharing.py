"""Pieces of a reorder on threads: all are made, an error ends them, a child has its own threads."""

import subprocess
import sys
import threading
from itertools import pairwise
from typing import Any
from unittest import mock

import numpy as np
import pytest

from app.engine import parse_layout, plan, reorder
from app.engine.reorder import cpu, execute
from app.engine.reorder.moves import moves_of
from app.engine.reorder.program import cut

BACKENDS = ("numpy", "numba")


def test_the_error_of_a_worker_reaches_the_caller() -> None:
    source, target = (parse_layout(name, (64, 64, 64, 64)) for name in ("NCHW", "NHWC"))
    caller, ran = threading.get_ident(), threading.Event()

    def runners(*_arguments: object, **_options: object) -> Any:
        def go(*_memory: object) -> None:
            if threading.get_ident() != caller:
                ran.set()
                raise MemoryError
            assert ran.wait(120)

        return [go]

    execute._program.cache_clear()
    with mock.patch.object(cpu, "runners", runners), pytest.raises(MemoryError):
        reorder(np.ones(source.elements, np.float32), source, target, threads=2)
    execute._program.cache_clear()


@pytest.mark.parametrize("backend", BACKENDS)
def test_threads_serve_in_a_forked_child(backend: str) -> None:
    script = f"""
import os, numpy as np
from app.engine import parse_layout, reorder
shape = (64, 64, 64, 64)
source, target = parse_layout("NCHW", shape), parse_layout("NHWC", shape)
memory = np.ones(source.elements, np.float32)
reorder(memory, source, target, threads=2, backend="{backend}")
child = os.fork()
if not child:
    found = reorder(memory, source, target, threads=2, backend="{backend}")
    os._exit(0 if found.all() else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", script], timeout=300, check=False)
    assert done.returncode == 0


def test_pieces_cover_the_target_once() -> None:
    shape = (3, 30, 16, 16)
    planned = plan(parse_layout("NCHW", shape), parse_layout("NCHW4", shape))
    moves = moves_of(planned.boxes, 32)
    whole = sum(move.units for move in moves)
    for most in (1 << 20, 4096, 512, 64):
        found = list(cut(moves, most))
        assert sum(move.units for piece in found for move in piece) == whole
        assert len(found) >= min(2, whole * 4 // most)
    begins = [piece[0].target for piece in cut(moves[:1], 512)]
    assert all(a < b for a, b in pairwise(begins))
