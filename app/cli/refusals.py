"""A refusal on the terminal: one message on stderr that names the field, and exit code 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from app.engine.errors import Described, LayoutError

EXIT_BAD_INPUT = 2


class MarkedError(LayoutError):
    """A refusal that still knows the text it points into."""

    def __init__(self, error: LayoutError, text: str) -> None:
        super().__init__(
            error.field, Described(error.description), error.expectation, position=error.position
        )
        self.text = text


@contextmanager
def reading(text: str) -> Iterator[None]:
    """Lets a refusal from inside point at the character of ``text`` that is at fault."""
    try:
        yield
    except LayoutError as error:
        if error.position is None:
            raise
        raise MarkedError(error, text) from error


class RefusingGroup(TyperGroup):
    """Commands whose refusals are messages, never tracebacks."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a refused value or file ends it with exit code 2."""
        try:
            return super().invoke(ctx)
        except LayoutError as error:
            _say(f"{error.field}: {error.message}", error)
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            _say(f"{error.filename or 'file'}: {error.strerror or error}")
        except MemoryError:
            _say("memory: the tensor does not fit; expected one that does")
        raise typer.Exit(EXIT_BAD_INPUT)


def _say(message: str, error: LayoutError | None = None) -> None:
    typer.echo(f"stridescope: {_printable(message)}", err=True)
    if isinstance(error, MarkedError) and error.position is not None:
        typer.echo(f"  {_printable(error.text)}\n  {' ' * error.position}^", err=True)


def _printable(text: str) -> str:
    """Text without characters that would steer the terminal; one sign for each."""
    return "".join(c if c.isprintable() else "?" for c in text)
