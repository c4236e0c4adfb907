"""The command line: tables for people, the API's JSON for machines."""

import os
import signal

__all__ = ["main"]

EXIT_SIGNAL = 128  # plus the number of the signal, as in shells


def main() -> None:
    """Entry point of ``stridescope``. Ctrl-C ends it with code 130, also while modules load."""
    listens = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    try:
        if listens:
            signal.signal(signal.SIGINT, _leave)
        from .commands import app  # noqa: PLC0415 - takes a second

        if listens:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        app()
    finally:
        if listens:
            signal.signal(signal.SIGINT, _leave)


def _leave(number: int, _frame: object) -> None:
    """End at once: an exception inside an import could be taken for another one there."""
    os.write(2, b"stridescope: interrupted (SIGINT)\n")
    os._exit(EXIT_SIGNAL + number)
