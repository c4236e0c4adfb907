"""Callers that each wait for an answer before they send the next call, and what they found.

Each keeps to the rate that the proxy allows one address.
"""

import http.client
import ssl
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Final

from .calls import Call

_PATIENCE_S: Final = 60  # the longest wait for an answer
_REFUSED: Final = frozenset({429, 503})
_LEAST_S: Final = 1 / 40  # from call to call: the proxy allows 50 a second from one address
_UNANSWERED: Final = frozenset({502, 504})  # what the proxy says where a replica said nothing


@dataclass(frozen=True, slots=True)
class Lost:
    """A call without a right answer: when (seconds of the run), its kind, and what came."""

    begin_s: float
    end_s: float
    kind: str
    reason: str


@dataclass(slots=True)
class Found:
    """What all callers found, by minute. ``seconds[minute][kind]``: times of answered calls."""

    begin_s: float
    seconds: dict[int, dict[str, list[float]]] = field(default_factory=dict)
    refused: dict[int, int] = field(default_factory=dict)
    lost: list[Lost] = field(default_factory=list)
    answers: dict[tuple[str, bytes], int] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def minute(self) -> int:
        """Return the minute of the run."""
        return int((time.monotonic() - self.begin_s) // 60)

    def take(self, call: Call, begin_s: float, status: int, body: bytes) -> None:
        """Note an answer. The same call of the API has the same answer each time."""
        end_s = time.monotonic()
        with self.lock:
            minute = self.minute()
            if status in _REFUSED:
                self.refused[minute] = self.refused.get(minute, 0) + 1
                return
            kinds = self.seconds.setdefault(minute, {})
            kinds.setdefault(call.kind, []).append(end_s - begin_s)
            if call.kind == "pages":
                wrong = "" if status == http.client.OK else f"status {status}"
            elif status in _UNANSWERED:
                wrong = f"status {status}"
            else:
                known = self.answers.setdefault((call.path, call.body), hash((status, body)))
                wrong = "" if known == hash((status, body)) else f"another answer: status {status}"
            if wrong:
                self._lose(call, begin_s, wrong)

    def lose(self, call: Call, begin_s: float, reason: str) -> None:
        """Note a call whose connection ended."""
        with self.lock:
            self._lose(call, begin_s, reason)

    def _lose(self, call: Call, begin_s: float, reason: str) -> None:
        now_s = time.monotonic() - self.begin_s
        self.lost.append(Lost(begin_s - self.begin_s, now_s, call.kind, reason))


@dataclass(frozen=True, slots=True)
class Caller:
    """One caller: its own address of loopback, as the proxy's limits are per address."""

    number: int
    port: int
    trust: ssl.SSLContext
    found: Found

    def run(self, calls: Sequence[Call], ended: Event) -> None:
        """Send ``calls`` again and again until ``ended``, from a place of its own in the list."""
        connection = self._connection()
        at = self.number * 37
        while not ended.is_set():
            call = calls[at % len(calls)]
            at += 1
            begin_s = time.monotonic()
            try:
                connection.request(call.method, call.path, call.body or None, dict(call.headers))
                answer = connection.getresponse()
                status, body, headers = answer.status, answer.read(), answer.headers
            except (OSError, http.client.HTTPException) as error:
                self.found.lose(call, begin_s, f"{type(error).__name__}: {error}")
                connection.close()
                connection = self._connection()
                continue
            self.found.take(call, begin_s, status, body)
            if status in _REFUSED:
                ended.wait(_seconds(headers))
            ended.wait(begin_s + _LEAST_S - time.monotonic())
        connection.close()

    def _connection(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(
            "localhost",
            self.port,
            timeout=_PATIENCE_S,
            source_address=(f"127.0.1.{self.number + 1}", 0),
            context=self.trust,
        )


def _seconds(headers: http.client.HTTPMessage) -> float:
    said = headers.get("Retry-After", "1")
    return min(float(said), 5) if said.isdigit() else 1


def started(
    count: int, port: int, trust: ssl.SSLContext, calls: Sequence[Call], found: Found, ended: Event
) -> list[Thread]:
    """Start ``count`` callers."""
    callers = [Caller(number, port, trust, found) for number in range(count)]
    threads = [Thread(target=each.run, args=(calls, ended), daemon=True) for each in callers]
    for thread in threads:
        thread.start()
    return threads
