"""``stridescope --version``: the versions in use, and which kernels serve."""

from __future__ import annotations

import platform
from importlib import metadata

import numpy as np
import typer

from ..engine import KERNELS
from ..package import version


def say_versions(asked: bool) -> None:  # noqa: FBT001  # typer calls it with the option's value
    """Print the versions and end the program, if ``asked``."""
    if not asked:
        return
    missing = next((each.missing for each in KERNELS if each.missing), "")
    kernels = f"NumPy ({missing})" if missing else f"Numba {metadata.version('numba')}"
    typer.echo(f"stridescope {version()}")
    typer.echo(f"Python {platform.python_version()}")
    typer.echo(f"NumPy {np.__version__}")
    typer.echo(f"kernels: {kernels}")
    raise typer.Exit
