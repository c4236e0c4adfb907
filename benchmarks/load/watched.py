"""Prometheus over two replicas: whether each expression of the dashboard has an answer.

    python -m benchmarks.load.watched

The replicas have the environment of compose.yaml, Prometheus has the committed configuration with
their addresses on loopback for targets. Meanwhile they are called, and refuse some of the calls.
"""

import json
import math
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError

from .proxy import free_port
from .replicas import Replica

_ROOT: Final = Path(__file__).parents[2]
_METRICS: Final = _ROOT / "deploy" / "metrics"
_LIMIT_S: Final = 120
_RATE: Final = "1m"  # what Grafana makes of $__rate_interval: four times the interval of scraping
_TARGETS = re.compile(r"^    dns_sd_configs:\n(?:^      .*\n?)+", re.MULTILINE)
_ENVIRONMENT = re.compile(r'^ +(STRIDESCOPE_\w+): "(.*?)"', re.MULTILINE)
_SMALL: Final = b'{"shape": [2, %d, 5, 6], "layout": "NCHW4"}'


def expressions() -> list[str]:
    """Return what the dashboard asks for, for the last minute."""
    (board,) = (_METRICS / "dashboards").glob("*.json")
    panels = json.loads(board.read_text("utf-8"))["panels"]
    asked = [target["expr"] for panel in panels for target in panel["targets"]]
    return [each.replace("$__rate_interval", _RATE) for each in asked]


def on_loopback(config: str, ports: Sequence[int]) -> str:
    """Return the configuration with other targets. Errors: ValueError if it names none."""
    listed = ", ".join(f'"127.0.0.1:{port}"' for port in ports)
    found, count = _TARGETS.subn(f"    static_configs:\n      - targets: [{listed}]\n", config)
    if count != 1:
        raise ValueError(config)
    return found


def environment() -> dict[str, str]:
    """Return the settings of the replicas in compose.yaml."""
    return dict(_ENVIRONMENT.findall((_ROOT / "compose.yaml").read_text("utf-8")))


class Prometheus:
    """A running Prometheus on ``port`` of loopback."""

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}/api/v1/query?"

    def ask(self, expression: str) -> list[float]:
        """Return the values of an expression, one per series. Errors: OSError."""
        asked = self._url + urllib.parse.urlencode({"query": expression})
        with urllib.request.urlopen(asked, timeout=10) as answer:
            found: Any = json.load(answer)
        return [float(series["value"][1]) for series in found["data"]["result"]]


@contextmanager
def prometheus(folder: Path, ports: Sequence[int]) -> Iterator[Prometheus]:
    """Run Prometheus over replicas on these ports, with its files in ``folder``."""
    config, port = folder / "prometheus.yaml", free_port()
    config.write_text(on_loopback((_METRICS / "prometheus.yaml").read_text("utf-8"), ports))
    command = [
        "prometheus",
        f"--config.file={config}",
        f"--storage.tsdb.path={folder / 'figures'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=warn",
    ]
    process = subprocess.Popen(command)
    try:
        yield Prometheus(port)
    finally:
        process.terminate()
        process.wait()


def _call(port: int, number: int) -> None:
    """One call that is new, the same again, and one that is too large."""
    url = f"http://127.0.0.1:{port}/api/v1/describe"
    for body in 2 * [_SMALL % (number % 1000 + 1)]:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(url, body, headers)
        urllib.request.urlopen(request, timeout=10).close()
    with socket.create_connection(("127.0.0.1", port), timeout=10) as wire:
        head = "POST /api/v1/reorder HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n"
        wire.sendall(f"{head}Content-Type: application/json\r\nConnection: close\r\n\r\n".encode())
        wire.recv(1 << 12)


@contextmanager
def _called(ports: Sequence[int]) -> Iterator[None]:
    """Call the replicas in turn during the block."""
    ended = threading.Event()

    def call() -> None:
        number = 0
        while not ended.wait(0.05):
            with suppress(OSError):
                _call(ports[number % len(ports)], number)
            number += 1

    thread = threading.Thread(target=call)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _unanswered(asked: Prometheus) -> list[str]:
    """The expressions that have no number yet. Errors: ValueError for one that means nothing."""
    missing = []
    for each in expressions():
        try:
            values = asked.ask(each)
        except HTTPError as error:
            if error.code != HTTPStatus.SERVICE_UNAVAILABLE:  # until it has started
                raise ValueError(f"{each}: {error.read().decode()}") from error
            values = []
        except OSError:
            values = []
        if all(map(math.isnan, values)):
            missing.append(each)
    return missing


def _check_text(replica: Replica) -> None:
    """Let promtool check the metrics of a replica. Errors: CalledProcessError."""
    with urllib.request.urlopen(f"{replica.url}/metrics", timeout=10) as answer:
        subprocess.run(["promtool", "check", "metrics"], input=answer.read(), check=True)


def main() -> None:
    """Check the configuration, the metrics and the dashboard. Exits with what is not answered."""
    subprocess.run(["promtool", "check", "config", _METRICS / "prometheus.yaml"], check=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        replicas = [Replica.made(folder / f"{i}.log") for i in range(2)]
        try:
            for replica in replicas:
                replica.environment = {**os.environ, **environment()}
                replica.start()
            for replica in replicas:
                replica.wait()
            ports = [replica.port for replica in replicas]
            with _called(ports), prometheus(folder, ports) as asked:
                until = time.monotonic() + _LIMIT_S
                while (missing := _unanswered(asked)) and time.monotonic() < until:
                    time.sleep(1)
                for each in expressions():
                    print(f"{asked.ask(each)}  {each}")
            _check_text(replicas[0])
        finally:
            for replica in replicas:
                replica.stop()
    if missing:
        sys.exit("no answer to " + ", ".join(missing))


if __name__ == "__main__":
    main()
