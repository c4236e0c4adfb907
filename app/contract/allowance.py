"""What one call may hold and do: asked for before anything is allocated.

Where nobody set an allowance, as on the command line, everything is allowed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final


class BeyondError(Exception):
    """The call needs more than its allowance, a small one: it may be tried elsewhere."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """``hold`` is called with bytes before they are allocated, and may raise.

    ``steps``: of a search, None for those of the engine; beyond them is a BeyondError.
    """

    hold: Callable[[int], None]
    steps: int | None = None


_ALLOWANCE: Final[ContextVar[Allowance | None]] = ContextVar("allowance", default=None)


@contextmanager
def allowed(allowance: Allowance) -> Iterator[None]:
    """Until the block ends, the calls of this thread ask ``allowance``."""
    token = _ALLOWANCE.set(allowance)
    try:
        yield
    finally:
        _ALLOWANCE.reset(token)


def hold(size_bytes: int) -> None:
    """Ask for memory before it is allocated. Errors: those of the allowance."""
    allowance = _ALLOWANCE.get()
    if allowance is not None:
        allowance.hold(size_bytes)


def most_steps() -> int | None:
    """Return how many steps a search may take, None for as many as the engine allows."""
    allowance = _ALLOWANCE.get()
    return None if allowance is None else allowance.steps
