"""``stridescope serve``: the real program in a process of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx2

START_LIMIT_S = 30


def answer_of(url: str, server: subprocess.Popen[str]) -> httpx2.Response:
    """The first answer of a server that is starting."""
    deadline_s = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline_s:
        assert server.poll() is None, server.communicate()[1]
        try:
            return httpx2.get(url, timeout=2)
        except httpx2.TransportError:
            time.sleep(0.05)
    raise AssertionError("the server did not start")


def test_serves_from_any_folder_and_stops_when_told(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [Path(sys.executable).with_name("stridescope"), "serve"],
        cwd=tmp_path,
        env={**os.environ, "HOST": "127.0.0.1", "PORT": str(port)},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert answer_of(f"http://127.0.0.1:{port}/healthz", server).json() == {"status": "ok"}
        query = {"shape": "2,3", "layout": "WH"}
        found = httpx2.get(f"http://127.0.0.1:{port}/api/v1/describe", params=query, timeout=10)
        assert found.json()["strides"] == [1, 2]
        server.send_signal(signal.SIGINT)
        _, log = server.communicate(timeout=10)
    finally:
        server.kill()
    assert "Finished server process" in log
    assert "Traceback" not in log
