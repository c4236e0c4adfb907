"""A port that stays free until the program under test binds it."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port of the loopback that the system gives to nobody else while the block runs.

    It is bound and does not listen, so a server may bind it too: both allow the address's reuse.
    """
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])
