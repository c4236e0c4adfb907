"""Where this package lies, a checkout or an installed wheel, and which version it is."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
# A checkout has the pages and the scripts beside `app`; a wheel has them inside `stridescope`.
_CHECKOUT = _PACKAGE.parent if _PACKAGE.name == "app" else None
DATA = _CHECKOUT or _PACKAGE


def version() -> str:
    """The version that pyproject.toml gives, in a checkout by reading it.

    A checkout may run without being installed, or beside another version that is.
    """
    if _CHECKOUT is None:
        return metadata.version("stridescope")
    with (_CHECKOUT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])
