"""Errors on the terminal: one message on stderr that names the field, and exit code 2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import typer
from pydantic import ValidationError
from typer.core import TyperGroup

from ..contract.refusals import first_refusal
from ..engine.model.errors import Described, LayoutError
from ..files.onnx import MissingLibraryError
from .whole_file import InterruptedBySignal

EXIT_BAD_INPUT = 2
EXIT_SIGNAL = 128  # plus the number of the signal, as in shells


class MarkedError(LayoutError):
    """An error with the text that its position refers to."""

    def __init__(self, error: LayoutError, text: str) -> None:
        super().__init__(
            error.field, Described(error.description), error.expectation, position=error.position
        )
        self.text = text


@contextmanager
def typed(texts: Mapping[str, str]) -> Iterator[None]:
    """Adds the typed text to an error from the block, so that the message can mark the character.

    ``texts``: the typed texts by field. Fields of a request's tensor have their own argument here:
    ``tensor.layout`` becomes ``layout``.
    """
    try:
        yield
    except LayoutError as error:
        told = error.under(error.field.removeprefix("tensor."))
        text = texts.get(told.field)
        raise (told if text is None or told.position is None else MarkedError(told, text)) from None


class RefusingGroup(TyperGroup):
    """Commands whose errors are messages, never tracebacks."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command. Exit code 2 for an input error, 128 plus its number for a signal."""
        try:
            return super().invoke(ctx)
        except LayoutError as error:
            _say(str(error), error)
        except MissingLibraryError as error:
            _say(str(error))
        except ValidationError as error:
            _say(str(first_refusal(error)))
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            _say(f"{error.filename or 'file'}: {error.strerror or error}")
        except MemoryError:
            _say("memory: the tensor does not fit; expected one that does")
        except InterruptedBySignal as signal:
            _say(f"interrupted ({signal})")
            raise typer.Exit(EXIT_SIGNAL + signal.number) from None
        raise typer.Exit(EXIT_BAD_INPUT)


def _say(message: str, error: LayoutError | None = None) -> None:
    typer.echo(f"stridescope: {printable(message)}", err=True)
    if isinstance(error, MarkedError) and error.position is not None:
        typer.echo(f"  {printable(error.text)}\n  {' ' * error.position}^", err=True)


def printable(text: str) -> str:
    """``text`` with ``?`` for each control character, which could change the terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)
