"""Runs a Python script under a trace, as ``python script.py`` would run it."""

import runpy
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from .run import trace


def traced_script(script: str, arguments: Sequence[str], save: Path | None) -> int:
    """Run the script, print the findings to the error output, return the script's exit status.

    Errors: OSError where there is no such file; MissingLibraryError without PyTorch.
    """
    Path(script).open("rb").close()
    argv, path = sys.argv, sys.path[0]
    sys.argv, sys.path[0] = [script, *arguments], str(Path(script).resolve().parent)
    status = 0
    try:
        with trace() as run:
            try:
                runpy.run_path(script, run_name="__main__")
            except SystemExit as ended:
                status = _status(ended.code)
            except Exception:  # as the interpreter does: print it, status 1
                traceback.print_exc()
                status = 1
    finally:
        sys.argv, sys.path[0] = argv, path
    if save is not None:
        run.save(save)
    sys.stdout.flush()
    sys.stderr.write(f"\n{run!r}\n")
    return status


def _status(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    sys.stderr.write(f"{code}\n")
    return 1
