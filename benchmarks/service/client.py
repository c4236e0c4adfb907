"""A client that asks one question after another over some connections that stay open.

It reads no more of an answer than its status and its length, so that it is not what is measured.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import cast

import uvloop

_END = b"\r\n\r\n"
_LENGTH = b"content-length: "


@dataclass(slots=True)
class Measured:
    """Seconds of each answer, and of the whole; ``wrong``: answers with another status.

    ``server_s``: processor time of the server, if the caller notes it.
    """

    seconds: list[float] = field(default_factory=list)
    took_s: float = 0
    wrong: int = 0
    server_s: float = 0

    @property
    def per_second(self) -> float:
        """Answers per second."""
        return len(self.seconds) / self.took_s

    @property
    def each_us(self) -> float:
        """Microseconds of the server's processor for one answer."""
        return 1e6 * self.server_s / len(self.seconds)

    def quantile(self, part: float) -> float:
        """Seconds that so great a part of the answers needed at most."""
        ordered = sorted(self.seconds)
        return ordered[min(int(part * len(ordered)), len(ordered) - 1)]


class _Connection(asyncio.Protocol):
    def __init__(
        self, asked: Iterator[bytes], status: bytes, measured: Measured, until: float
    ) -> None:
        self._asked, self._status = asked, b"HTTP/1.1 " + status
        self._measured, self._until = measured, until
        self._began = 0.0
        self._came = b""
        self._missing = -1
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._ask()

    def _ask(self) -> None:
        question = next(self._asked)
        self._began = perf_counter()
        self._came, self._missing = b"", -1
        self._transport.write(question)

    def data_received(self, data: bytes) -> None:
        if self._missing < 0:
            self._came += data
            end = self._came.find(_END)
            if end < 0:
                return
            head = self._came[:end].lower()
            at = head.find(_LENGTH)
            length = int(head[at + len(_LENGTH) :].split(b"\r", 1)[0]) if at >= 0 else 0
            self._measured.wrong += not self._came.startswith(self._status)
            self._missing = length + end + len(_END) - len(self._came)
        else:
            self._missing -= len(data)
        if self._missing == 0:
            now = perf_counter()
            self._measured.seconds.append(now - self._began)
            if now < self._until:
                self._ask()
            else:
                self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_result(None)


async def _run(
    port: int, asked: Iterator[bytes], status: bytes, count: int, seconds: float
) -> Measured:
    loop = asyncio.get_running_loop()
    measured = Measured()
    began = perf_counter()
    made = [
        await loop.create_connection(
            lambda: _Connection(asked, status, measured, began + seconds), "127.0.0.1", port
        )
        for _ in range(count)
    ]
    await asyncio.wait([connection.done for _, connection in made], timeout=seconds + 20)
    measured.took_s = perf_counter() - began
    return measured


def ask(port: int, asked: Iterator[bytes], status: str, count: int, seconds: float) -> Measured:
    """Ask over ``count`` connections for some seconds; the connections take turns in ``asked``."""
    return uvloop.run(_run(port, asked, status.encode(), count, seconds))
