"""Errors on the terminal: one message on stderr that names the field, and exit code 2."""

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import typer
from pydantic import ValidationError
from typer.core import TyperGroup

from ..contract.refusals import first_refusal
from ..engine.model.errors import LayoutError
from ..files.onnx import MissingLibraryError
from . import EXIT_SIGNAL
from .whole_file import InterruptedBySignal

EXIT_BAD_INPUT = 2
EXIT_BROKEN_PIPE = EXIT_SIGNAL + 13  # SIGPIPE, which not every system has


@contextmanager
def typed(texts: Mapping[str, str]) -> Iterator[None]:
    """Notes the typed text at an error from the block, so that the message can mark the character.

    ``texts``: the typed texts by field. Fields of a request's tensor have their own argument here:
    ``tensor.layout`` becomes ``layout``.
    """
    try:
        yield
    except LayoutError as error:
        told = error.under(error.field.removeprefix("tensor."))
        if told.field in texts:
            told.add_note(texts[told.field])
        raise told from None


class RefusingGroup(TyperGroup):
    """Commands whose errors are messages, never tracebacks."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command. Exit code 2 for an input error, 128 plus its number for a signal."""
        try:
            done = super().invoke(ctx)
            if sys.stdout is not None:
                sys.stdout.flush()
        except LayoutError as error:
            _say(str(error), error)
        except MissingLibraryError as error:
            _say(str(error))
        except ValidationError as error:
            _say(str(first_refusal(error)))
        except BrokenPipeError:  # the reader has enough: no error of this program
            _drop_output()
            raise typer.Exit(EXIT_BROKEN_PIPE) from None
        except OSError as error:
            if error.filename is None:
                _drop_output()
            _say(f"{error.filename or 'input or output'}: {error.strerror or error}")
        except MemoryError:
            _say("memory: the tensor does not fit; expected one that does")
        except (InterruptedBySignal, KeyboardInterrupt) as error:
            number = error.number if isinstance(error, InterruptedBySignal) else signal.SIGINT
            _say(f"interrupted ({signal.Signals(number).name})")
            raise typer.Exit(EXIT_SIGNAL + number) from None
        else:
            return done
        raise typer.Exit(EXIT_BAD_INPUT)


def _drop_output() -> None:
    """Send what is left of the output nowhere: the interpreter would fail to write it again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with suppress(AttributeError, OSError, ValueError):  # no stream, or none of the system
        os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _say(message: str, error: LayoutError | None = None) -> None:
    typer.echo(f"stridescope: {printable(message)}", err=True)
    if error is not None and error.position is not None and hasattr(error, "__notes__"):
        text = error.__notes__[0]  # as typed
        begin = text.rfind("\n", 0, error.position) + 1
        line = text[begin:].partition("\n")[0]
        typer.echo(f"  {printable(line)}\n  {' ' * (error.position - begin)}^", err=True)


def printable(text: str) -> str:
    """``text`` with ``?`` for each control character, which could change the terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)
