"""A progress bar on stderr, if stderr is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from . import tables

Advance = Callable[[int], None]

BYTES: tuple[ProgressColumn, ...] = (DownloadColumn(), TransferSpeedColumn())
ITEMS: tuple[ProgressColumn, ...] = (MofNCompleteColumn(),)


@contextmanager
def bar(
    title: str, total: int, columns: tuple[ProgressColumn, ...], *, shown: bool
) -> Iterator[Advance]:
    """Yields a function to call with the progress since the last call, in the unit of ``total``.

    Draws nothing if ``shown`` is false or stderr is not a terminal. Clears the bar at the end.
    """
    if not shown or not sys.stderr.isatty():
        yield lambda _done: None
        return
    screen = tables.console(stderr=True)
    parts = (TextColumn("{task.description}", markup=False), BarColumn(), *columns)
    with Progress(*parts, TimeRemainingColumn(), console=screen, transient=True) as progress:
        task = progress.add_task(title, total=total)
        yield lambda done: progress.advance(task, done)
