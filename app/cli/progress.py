"""A progress bar on stderr, if stderr is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import rich.progress as parts

from . import tables

Advance = Callable[[int], None]

BYTES: tuple[parts.ProgressColumn, ...] = (parts.DownloadColumn(), parts.TransferSpeedColumn())
ITEMS: tuple[parts.ProgressColumn, ...] = (parts.MofNCompleteColumn(),)


@contextmanager
def bar(
    title: str, total: int, columns: tuple[parts.ProgressColumn, ...], *, shown: bool
) -> Iterator[Advance]:
    """Yields a function to call with the progress since the last call, in the unit of ``total``.

    Draws nothing if ``shown`` is false or stderr is not a terminal. Clears the bar at the end.
    """
    if not shown or not sys.stderr.isatty():
        yield lambda _done: None
        return
    screen = tables.console(stderr=True)
    shown_columns = (
        parts.TextColumn("{task.description}", markup=False),
        parts.BarColumn(),
        *columns,
        parts.TimeRemainingColumn(),
    )
    with parts.Progress(*shown_columns, console=screen, transient=True) as progress:
        task = progress.add_task(title, total=total)
        yield lambda done: progress.advance(task, done)
