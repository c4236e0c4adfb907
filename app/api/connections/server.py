"""Finds the server that runs this program, and gives its connections their deadlines."""

import logging
import sys
from ipaddress import ip_address
from typing import Any, Final

import uvicorn
from starlette.types import Receive, Scope

from ...engine.model.errors import phrase
from .guard import STATE

# Private attributes of it are used, so pyproject.toml names the same one. Change it only if
# tests/api/connections passes.
TESTED_VERSION: Final = "0.54.0"
_LOG: Final = logging.getLogger("uvicorn.error")
_PROTOCOL: Final = "uvicorn.protocols.http.httptools_impl"
NO_LIFESPAN: Final = phrase("server.no_lifespan")


def guard_connections(receive: Receive) -> str | None:
    """Give each connection of a server with a guard its deadlines; why it must not start, if so.

    It must not if it is a uvicorn that would serve the world without deadlines. ``receive``: of the
    lifespan, as the server gave it.
    """
    is_tested = uvicorn.__version__ == TESTED_VERSION
    is_running = any(name.startswith("uvicorn.protocols.http.") for name in sys.modules)
    if is_tested and _PROTOCOL in sys.modules:
        from .protocol import adopt  # noqa: PLC0415  # imports the server's protocol

        adopt()
    elif is_running:
        _LOG.warning("This server sets no deadlines: run it behind a proxy that does.")
    config: Any = getattr(getattr(receive, "__self__", None), "config", None)
    if isinstance(config, uvicorn.Config):
        protocol: Any = getattr(config, "http_protocol_class", None)
        is_tested &= getattr(protocol, "__module__", None) == _PROTOCOL
        is_safe = config.uds is not None or (config.fd is None and _is_local(config.host))
        host = config.host
    else:
        is_safe, host = not is_running, "any address"
    if is_tested or is_safe:
        return None
    version = uvicorn.__version__
    return phrase("server.untested", tested=TESTED_VERSION, version=version, host=host)


def has_no_lifespan(scope: Scope, receive: Receive) -> bool:
    """Whether uvicorn, with its lifespan off, passes a request on that came from elsewhere."""
    if STATE in scope.get("state", ()) or not scope.get("server"):
        return False
    server = type(getattr(receive, "__self__", None)).__module__
    host, port = scope["server"]
    return server.startswith("uvicorn.") and port is not None and not _is_local(host)


def _is_local(host: str) -> bool:
    """Whether connections to a host can only come from this machine."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
