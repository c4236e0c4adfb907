"""``stridescope serve``: the real program in a process of its own."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2

from tests.ports import reserved_port

START_LIMIT_S = 120


def answer_of(url: str, server: subprocess.Popen[str]) -> httpx2.Response:
    """The first answer of a server that is starting."""
    deadline_s = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline_s:
        assert server.poll() is None, server.communicate()[1]
        try:
            return httpx2.get(url, timeout=10)
        except httpx2.TransportError:
            time.sleep(0.05)
    raise AssertionError("the server did not start")


def test_serves_from_any_folder_and_stops_when_told(tmp_path: Path) -> None:
    with reserved_port() as port:
        server = subprocess.Popen(
            [Path(sys.executable).with_name("stridescope"), "serve"],
            cwd=tmp_path,
            env={**os.environ, "HOST": "127.0.0.1", "PORT": str(port)},
            stderr=subprocess.PIPE,
            text=True,
        )
        url = f"http://127.0.0.1:{port}"
        try:
            assert answer_of(f"{url}/healthz", server).json() == {"status": "ok"}
            query = {"shape": "2,3", "layout": "WH"}
            found = httpx2.get(f"{url}/api/v1/describe", params=query, timeout=START_LIMIT_S)
            assert found.json()["strides"] == [1, 2]
            server.send_signal(signal.SIGINT)
            _, log = server.communicate(timeout=START_LIMIT_S)
        finally:
            server.kill()
    assert "Finished server process" in log
    assert "Traceback" not in log
