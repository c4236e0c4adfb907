"""The image, built and run without an engine, through the committed proxy with two replicas.

`make image-test` runs this; it is not part of `make test`, because a build takes minutes and root.
"""

import http.client
import json
import os
import re
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser

from benchmarks.load.proxy import Proxy, free_port, proxy
from benchmarks.load.replicas import Replica
from deploy import sbom
from tests.image import building
from tests.image.building import Image
from tests.image.running import ALONE, contained, replica
from tests.places import ROOT

MB = 1e6
MOST_MB = 300  # above the base
HEALTHY_S = 10  # on a machine that is not busy it is 2
KERNELS_CPU_S = 2.0
ANOTHER = "nehalem"  # a processor that the image brings no kernels for
CLOSE = b"\r\nConnection: close\r\n\r\n"
NOTHING_OF = ("tests", "*.pyi", "*.a", "*.h", "pip", "setuptools", "watchfiles")


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    """The image of this checkout, or the one that the environment names: IMAGE."""
    if "IMAGE" not in os.environ:
        building.build()
    with building.mounted() as found:
        yield found


@pytest.fixture(scope="module")
def replicas(image: Image, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Replica]]:
    """Two replicas that answer."""
    folder = tmp_path_factory.mktemp("replicas")
    made = [replica(image, folder / f"{name}.log") for name in "AB"]
    try:
        for each in made:
            each.start()
        for each in made:
            each.wait()
        yield made
        for each in made:
            assert each.stop() < 10, each.log.read_text()
    finally:
        for each in made:
            each.kill()


@pytest.fixture(scope="module")
def before(replicas: list[Replica], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """The proxy before them: not root, and with a read-only root, as compose.yaml runs it."""
    folder = tmp_path_factory.mktemp("proxy") / "nginx"
    within = [*ALONE, "--ro-bind", str(folder), str(folder), "--uid", "101", "--gid", "101"]
    with proxy(folder, [each.port for each in replicas], within) as found:
        yield found


def size_bytes(path: Path) -> int:
    """What the files below ``path`` hold; a file with several names counts once."""
    found = {}
    for file in (path, *path.rglob("*")):
        if file.is_file() and not file.is_symlink():
            found[file.stat().st_ino] = file.stat().st_size
    return sum(found.values())


def test_it_is_small_and_says_what_it_is(image: Image) -> None:
    program = image.root / image.folder.lstrip("/")
    (packages,) = program.glob(".venv/lib/python*/site-packages")
    assert size_bytes(program) / MB < MOST_MB
    for pattern in NOTHING_OF:
        assert not list(packages.rglob(pattern)), pattern
    prefix = "org.opencontainers.image."
    labels = {name.removeprefix(prefix): value for name, value in image.labels.items()}
    assert labels["title"] == "Stridescope"
    assert len(labels["revision"]) == 40
    assert {"description", "version", "created", "source", "base.name"} <= labels.keys()
    assert all(labels.values())


def test_the_list_of_what_is_inside_holds(image: Image) -> None:
    (packages,) = image.root.glob("opt/stridescope/.venv/lib/python*/site-packages")
    installed = {(canonical(each), each.version) for each in distributions(path=[str(packages)])}
    lock = (ROOT / "requirements/runtime.lock").read_text("utf-8")
    python = packages.parent.name.removeprefix("python")
    assert installed == {(each.name, each.version) for each in sbom.packages(lock, python)}


def canonical(package: Distribution) -> str:
    """The name of a package as the lock has it."""
    return re.sub(r"[-_.]+", "-", package.name).lower()


def inside(image: Image, code: str, variables: Mapping[str, str] | None = None) -> str:
    """What Python prints in the image."""
    command = contained(image, "python", "-c", code, variables=variables)
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def test_its_process_can_do_little(image: Image) -> None:
    code = "print(open('/proc/self/status').read())"
    lines = inside(image, code).splitlines()
    status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    assert status["Uid"].split() == ["10001"] * 4
    assert int(status["CapEff"], 16) == int(status["CapBnd"], 16) == 0
    code = "open('/opt/stridescope/app/x', 'w')"
    with pytest.raises(subprocess.CalledProcessError) as failed:
        inside(image, code)
    assert "Read-only file system" in failed.value.stderr


LOAD = """
import gc, itertools, json, time
from app.engine import KERNELS
for each in KERNELS:
    for _ in each.compiling():
        pass
spent_s = time.process_time()
import numba, numpy as np
from numba.core.dispatcher import Dispatcher
from app.engine import parse_layout, reorder
layouts = [parse_layout(text, (2, 32, 16, 16)) for text in ("NCHW", "NHWC", "NCHW4", "NCHW32")]
for source, target in itertools.product(layouts, layouts):
    for name in ("int8", "float16", "float32", "float64"):
        reorder(np.zeros(16384, name), source, target, backend="numba")
    reorder(np.zeros(8192, "uint8"), source, target, dtype="int4", backend="numba")
kernels = [each for each in gc.get_objects() if isinstance(each, Dispatcher)]
stored = [each for each in kernels if each.stats.cache_path]
print(json.dumps({
    "seconds": spent_s, "processor": numba.config.CPU_NAME,
    "read": {each.py_func.__name__: sum(each.stats.cache_hits.values()) for each in stored},
    "compiled": [each.py_func.__name__ for each in stored if each.stats.cache_misses],
}))
"""


def loaded(image: Image, variables: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What a process in the image finds that loads all kernels, then reorders."""
    found: dict[str, Any] = json.loads(inside(image, LOAD, variables))
    return found


def test_kernels_are_read_and_not_compiled(image: Image) -> None:
    found = [loaded(image) for _ in range(3)]
    seconds = min(each["seconds"] for each in found)
    processor, read = found[0]["processor"], found[0]["read"]
    assert all(each["compiled"] == [] for each in found)
    assert {"transpose", "transpose_short", "interleave", "separate"} <= read.keys()
    assert {"copy_runs", "unpack_rows", "pack_rows"} <= read.keys()
    assert all(read.values())
    assert processor.startswith(("x86-64-v", "generic"))
    assert seconds < KERNELS_CPU_S


def test_each_level_of_the_image_has_all_kernels(image: Image) -> None:
    for level in (image.root / image.folder.lstrip("/") / "kernels").iterdir():
        found = loaded(image, {"NUMBA_CPU_NAME": level.name, "NUMBA_CPU_FEATURES": ""})
        assert found["processor"] == level.name
        assert found["compiled"] == []


def answers_with_numpy(started: Replica) -> bool:
    """Whether a replica is well, has no kernels yet, and reorders all the same."""
    assert metric(started, "stridescope_kernels_ready") == 0
    source = {"shape": [1, 8, 2, 2], "layout": "NCHW"}
    body = {"source": source, "target": "NHWC", "values": list(range(32))}
    answer = httpx2.post(f"{started.url}/api/v1/reorder", json=body, timeout=30)
    assert answer.status_code == 200
    return bool(answer.json()["plan"]["backend"] == "numpy")


@contextmanager
def running(*given: Any) -> Iterator[Replica]:
    """A replica of its own that is well; ``given``: as ``replica`` takes it."""
    started = replica(*given)
    try:
        started.start()
        started.wait()
        yield started
    finally:
        started.kill()


def test_another_processor_uses_numpy_and_can_stop_meanwhile(image: Image, tmp_path: Path) -> None:
    with running(image, tmp_path / "log", {"NUMBA_CPU_NAME": ANOTHER}) as started:
        assert answers_with_numpy(started)
        assert started.stop() < 10
        assert "Traceback" not in started.log.read_text()


def test_a_writable_volume_takes_the_kernels_of_another_processor(
    image: Image, tmp_path: Path
) -> None:
    volume = tmp_path / "volume"
    volume.mkdir()
    told = {"NUMBA_CPU_NAME": ANOTHER, "NUMBA_CACHE_DIR": "/tmp/kernels"}  # noqa: S108  # its own
    with running(image, tmp_path / "log", told, volume) as started:
        assert answers_with_numpy(started)
        begin_s = time.monotonic()
        while not list(volume.rglob("*.nbc")):
            assert time.monotonic() - begin_s < 120, started.log.read_text()
            time.sleep(0.1)
        assert started.stop() < 10


def test_it_says_whether_it_is_well(image: Image, replicas: list[Replica]) -> None:
    for port, status in ((replicas[0].port, 0), (free_port(), 1)):
        command = contained(image, *image.health, variables={"PORT": str(port)})
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        assert done.returncode == status, done.stderr


def metric(each: Replica, name: str) -> float:
    """The value of a metric without labels."""
    lines = httpx2.get(f"{each.url}/metrics", timeout=5).text.splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"{name} "))


def test_it_starts_soon(image: Image, tmp_path: Path) -> None:
    started = replica(image, tmp_path / "log")
    try:
        begin_s = time.monotonic()
        started.start()
        healthy_s = started.wait()
        while metric(started, "stridescope_kernels_ready") < 1:
            assert time.monotonic() - begin_s < 60
            time.sleep(0.02)
        assert healthy_s < HEALTHY_S
    finally:
        started.stop()


def ask(
    before: Proxy, method: str, path: str, body: bytes = b"", **headers: str
) -> tuple[int, http.client.HTTPMessage, bytes]:
    """One call through the proxy."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    call = http.client.HTTPSConnection("localhost", before.port, timeout=30, context=before.trust)
    try:
        call.request(method, path, body or None, named)
        answer = call.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        call.close()


def test_the_api_answers_through_the_proxy(before: Proxy) -> None:
    body = json.dumps({"shape": [2, 64, 3, 3], "layout": "NCHW4"}).encode()
    status, headers, answer = ask(
        before, "POST", "/api/v1/describe", body, Content_Type="application/json"
    )
    assert status == 200
    assert json.loads(answer)["physical_shape"] == [2, 16, 3, 3, 4]
    assert headers["Strict-Transport-Security"]
    values = bytes(range(256)) * 64
    path = "/api/v1/reorder/file?shape=1,64,16,16&source=NCHW&target=NHWC&dtype=uint8"
    status, _, moved = ask(before, "POST", path, values, Content_Type="application/octet-stream")
    assert status == 200
    assert moved[:64] == values[::256]


def test_problems_of_the_proxy_have_the_programs_form(before: Proxy) -> None:
    status, headers, answer = ask(before, "GET", f"/?q={'x' * 30_000}")
    assert status in {400, 414}
    assert headers["Content-Type"] == "application/problem+json"
    assert json.loads(answer)["status"] == status
    status, headers, answer = ask(before, "GET", "/metrics")
    assert status == 404


def statuses(before: Proxy, request: bytes, count: int, address: str) -> Counter[int]:
    """Statuses of ``count`` equal requests from ``address``, all sent before one answer is read."""
    with (
        socket.create_connection(("127.0.0.1", before.port), 30, (address, 0)) as plain,
        before.trust.wrap_socket(plain, server_hostname="localhost") as call,
    ):
        call.sendall(request * (count - 1) + request.replace(b"\r\n\r\n", CLOSE))
        found = b"".join(iter(lambda: call.recv(1 << 16), b""))
    return Counter(int(status) for status in re.findall(rb"HTTP/1.1 (\d+)", found))


def test_one_address_that_asks_too_much_is_told_so(before: Proxy) -> None:
    # The proxy answers this itself: 600 take far less than the 8 s in which they would be allowed.
    request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
    found = statuses(before, request, 600, "127.0.2.1")
    assert set(found) == {404, 429}
    assert 200 <= found[404] < 550
    assert set(statuses(before, request, 20, "127.0.2.2")) == {404}


def test_http_leads_to_https(before: Proxy) -> None:
    call = http.client.HTTPConnection("127.0.0.1", before.plain_port, timeout=30)
    call.request("GET", "/learn?x=1", headers={"Host": "elsewhere.example"})
    answer = call.getresponse()
    assert answer.status == 308
    assert answer.headers["Location"] == f"{before.url}/learn?x=1"
    call.close()


@pytest.mark.browser
def test_the_page_works_in_a_browser(before: Proxy, browser: Browser) -> None:
    context = browser.new_context(ignore_https_errors=True)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(f"{before.url}/?shape=1,6,4,5&layout=NCHW4")
    page.locator("canvas").first.wait_for()
    assert "Stridescope" in page.title()
    assert not [text for text in said if "error" in text.lower()]
    context.close()


def closed(port: int) -> bool:
    """Whether nothing listens on a port of loopback."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def test_a_killed_replica_is_not_missed(before: Proxy, replicas: list[Replica]) -> None:
    replicas[1].kill()  # ends bubblewrap, and the system then what it held
    while not closed(replicas[1].port):
        time.sleep(0.02)
    for _ in range(20):
        assert ask(before, "GET", "/api/v1/describe?shape=2,3&layout=WH")[0] == 200
    replicas[1].start()
    replicas[1].wait()
