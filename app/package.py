"""The folder of the pages and scripts, in a checkout or an installed wheel, and the version."""

import tomllib
from importlib import metadata
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
# A checkout has the pages and the scripts beside `app`; a wheel has them inside `stridescope`.
_CHECKOUT = _PACKAGE.parent if _PACKAGE.name == "app" else None
DATA = _CHECKOUT or _PACKAGE


def version() -> str:
    """Return the version that pyproject.toml gives.

    A checkout reads the file itself: it may not be installed, or another version may be.
    """
    if _CHECKOUT is None:
        return metadata.version("stridescope")
    with (_CHECKOUT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])
