"""The runner that shares the pieces of a reorder with the crew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, chain
from typing import Any, Final

from ..interface import HAS_CREW, Buffer, Piece, Runner
from . import crew
from .kernel_crew import JOB_BYTES, LINE, MOST_PIECES, together
from .lasting import ThreadMemory
from .prepared import Calls, Numbers, calls_of, entry, numbers_of, scratch

_WORTH_WAKING_BYTES: Final = 2 << 20  # of one call: fewer are written while a helper wakes
_MOST_KNOWN: Final = 16  # ways in which a source and a target can lie
_job: Final = ThreadMemory(JOB_BYTES)


def shared(pieces: Sequence[Piece], workers: int) -> Runner | None:
    """Return the runner that shares ``pieces`` between ``workers`` threads, its caller included.

    None if a piece is not made of calls of kernels alone, or if this system has no crew.
    """
    runners = [piece.runners for piece in pieces]
    at_once = -(-len(pieces) // MOST_PIECES)
    each = [_calls(chain(*runners[k : k + at_once])) for k in range(0, len(pieces), at_once)]
    made = [calls for calls in each if calls is not None]
    if not HAS_CREW or len(made) < len(each):
        return None
    known: dict[tuple[int, int], tuple[Numbers, Numbers]] = {}
    go, helpers = _together(), workers - 1
    is_long = sum(piece.size_bytes for piece in pieces) >= _WORTH_WAKING_BYTES

    def tables_of(way: tuple[int, int]) -> tuple[Numbers, Numbers]:
        of_pieces = [[call for calls in some for call in calls(*way)] for some in made]
        words = [word for some in of_pieces for call in some for word in call]
        if len(known) >= _MOST_KNOWN:
            known.clear()
        firsts = numbers_of([0, *accumulate(map(len, of_pieces))])
        known[way] = found = firsts, numbers_of(words)
        return found

    def run(_source: Buffer, _target: Buffer, begin: int, end: int, place: int) -> None:
        way = place % LINE, end - begin
        firsts, calls = known.get(way) or tables_of(way)
        memory = begin, end, place, scratch.address
        here = crew.here()
        threads, wakes = here.threads(helpers), here.begin() or is_long
        go(here.address, threads, wakes, _job.address, firsts, calls, *memory)
        here.end()

    return run


def _calls(runners: Iterable[Runner]) -> list[Calls] | None:
    found = [calls_of(runner) for runner in runners]
    calls = [each for each in found if each is not None]
    return calls if len(calls) == len(found) else None


@cache
def _together() -> Any:
    numbers = numbers_of([])
    return entry(together, 0, numbers, 0, 0, numbers, numbers, 0, 0, 0, 0)


def compiling() -> Iterator[None]:
    """Compile the crew's kernels, or read them from disk; yield after each one."""
    if HAS_CREW:
        yield crew.helping()
        yield _together()
