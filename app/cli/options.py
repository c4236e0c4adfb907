"""Arguments and options that several commands have, and the JSON that they print."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from ..contract.plain import plain
from . import tables

Shape = Annotated[str, typer.Argument(help="Logical sizes: 2,64,3,3 or 2x64x3x3; () for a scalar.")]
LayoutText = Annotated[
    str, typer.Argument(help="Any notation: NCHW4, '(5, 1)+3', channels_last, onednn:aBcd4b.")
]
Dtype = Annotated[str, typer.Option("--dtype", "-t", help="Element type, such as float16 or int4.")]
Dims = Annotated[
    str | None, typer.Option("--dims", help="One letter per dimension, in logical order.")
]
Elements = Annotated[
    int | None,
    typer.Option("--elements", min=0, help="Elements in the buffer, if more than needed."),
]
Threads = Annotated[int | None, typer.Option("--threads", min=1, help="At most this many threads.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the API's JSON on one line.")]


def emit(answer: Any) -> None:
    """Print JSON on one line; integers of any length stay exact."""
    typer.echo(json.dumps(answer, ensure_ascii=False, default=plain))


def show(answer: Any, parts: Callable[[], Iterable[RenderableType]], *, as_json: bool) -> None:
    """Print the answer as JSON, or its ``parts`` for people."""
    if as_json:
        emit(answer)
        return
    screen = tables.console()
    for part in parts():
        screen.print(part)
