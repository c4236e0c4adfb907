"""Finds the server that runs this process, and gives its connections their deadlines."""

from __future__ import annotations

import logging
import sys
from typing import Any, Final

import uvicorn

# Private attributes of it are used. Add a version only if tests/api/connections passes.
TESTED_VERSIONS: Final = frozenset({"0.54.0"})
_SERVER: Final = "uvicorn.protocols.http.httptools_impl"
_LOG: Final = logging.getLogger("uvicorn.error")


def server_module() -> Any:
    """Return uvicorn's module of its protocol; None under another server or another version."""
    server = sys.modules.get(_SERVER)  # None unless the server itself has imported it
    return server if uvicorn.__version__ in TESTED_VERSIONS else None


def adopt_connections() -> bool:
    """Give each connection of a server with a guard its deadlines; whether that is possible."""
    if server_module() is not None:
        from .protocol import adopt  # noqa: PLC0415  # imports the server's protocol

        adopt()
        return True
    if any(name.startswith("uvicorn.protocols.http.") for name in sys.modules):
        _LOG.warning("This server sets no deadlines: run it behind a proxy that does.")
    return False
