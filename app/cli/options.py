"""Arguments and options that several commands have, those that exclude each other, the output."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from typer import Argument, Option

from ..contract.plain import plain
from ..engine.model.errors import Described, LayoutError, Phrase
from . import tables

Shape = Annotated[str, Argument(help="Logical sizes: 2,64,3,3 or 2x64x3x3; () for a scalar.")]
LayoutText = Annotated[
    str, Argument(help="Any notation: NCHW4, '(5, 1)+3', channels_last, onednn:aBcd4b.")
]
Dtype = Annotated[
    str | None,
    Option("--dtype", "-t", help="Element type, such as float16 or int4; default: float32."),
]
Dims = Annotated[str | None, Option(help="One letter per dimension, in logical order.")]
Elements = Annotated[int | None, Option(min=0, help="Elements in the buffer, if more than needed.")]
Threads = Annotated[int | None, Option(min=1, help="At most this many threads.")]
AsJson = Annotated[bool, Option("--json", help="Print the API's JSON on one line.")]


def refuse(options: Mapping[str, object], expected: Phrase) -> None:
    """Refuse options that would change nothing here. Errors: LayoutError naming the first one.

    ``options``: values by the name of their parameter; None, False and [] are not given.
    """
    for name, value in options.items():
        if value is not None and value is not False and value != []:
            got = Described("an option that changes nothing here")
            raise LayoutError(f"--{name.replace('_', '-')}", got, expected)


def beside(option: str) -> Phrase:
    """What is expected of an option that needs another ``option``."""
    return Phrase("option.beside", "{option} beside it", option=option)


def not_beside(option: str) -> Phrase:
    """What is expected of an option that another ``option`` leaves without effect."""
    return Phrase("option.not_beside", "no {option} beside it", option=option)


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
