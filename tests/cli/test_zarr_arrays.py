"""``stridescope reorder`` and ``describe`` of zarr arrays, in processes of this machine."""

import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pytest
import zarr
from distributed import LocalCluster

from tests.cli.conftest import Run, refused, said, started
from tests.ports import reserved_port

SHAPE = (24, 40, 16, 16)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with in.zarr, of one image a chunk."""
    monkeypatch.chdir(tmp_path)
    array = zarr.create_array(
        str(tmp_path / "in.zarr"),
        shape=SHAPE,
        chunks=(1, *SHAPE[1:]),
        dtype="float32",
        compressors=None,
        dimension_names=list("NCHW"),
    )
    array[...] = np.arange(np.prod(SHAPE), dtype="float32").reshape(SHAPE)
    return tmp_path


def test_a_dry_run_tells_and_writes_nothing(folder: Path, run: Run) -> None:
    asked = ("reorder", "in.zarr", "out.zarr", "--from", "NCHW", "--to", "NCHW32", "--dry-run")
    shown = said(run(*asked, "--workers", "2", "--memory", "1GiB"))
    for word in ("NCHW32", "[1, 32, 16, 16]", "tasks", "memory of a worker", "a chunk 1 times"):
        assert word in shown
    told = json.loads(run(*asked, "--json").stdout)
    assert told["read_amplification"] == 1
    assert told["read_bytes"] == np.prod(SHAPE) * 4
    assert told["written_bytes"] == 24 * 64 * 16 * 16 * 4, "padding to 64 channels"
    assert told["target"]["order"] == [0, 2, 3, 1]
    assert sorted(path.name for path in folder.iterdir()) == ["in.zarr"]


def test_a_scheduler_s_workers_have_limits_of_their_own(folder: Path, run: Run) -> None:
    """Tasks fit the smallest worker, with all that run beside each other in it."""
    # The workers are threads of this process, which may hold more than 400 MB already: a worker
    # that held so much would wait until it holds less.
    patient = {f"distributed.worker.memory.{act}": False for act in ("target", "spill", "pause")}
    with (
        dask.config.set(patient),
        LocalCluster(
            n_workers=2,
            threads_per_worker=2,
            memory_limit="400MB",
            processes=False,
            protocol="tcp",
            host="127.0.0.1",
            dashboard_address=None,
        ) as local,
    ):
        assert local.scheduler_address.startswith("tcp://")
        where = ("--scheduler", local.scheduler_address)
        asked = ("reorder", "in.zarr", "out.zarr", "--from", "NCHW", "--to", "NCHW32", *where)
        planned = (*asked, "--dry-run")
        assert "2, the least with 400.0 MB for 2 tasks at once" in said(run(*planned))
        for memory, held_bytes in (((), 400_000_000), (("--memory", "300MB"), 300_000_000)):
            told = json.loads(run(*planned, "--json", *memory).stdout)
            assert (told["workers"], told["worker_memory_bytes"]) == (2, held_bytes)
            assert told["peak_bytes"] <= held_bytes
        more = json.loads(run(*planned, "--json", "--memory", "4GB").stdout)
        assert more["worker_memory_bytes"] == 400_000_000
        little = refused(run(*planned, "--memory", "257MiB"))
        assert re.search("memory: .*268435456 for a worker with its libraries", little)
        assert "400.0 MB" in said(run(*asked))
    values = zarr.open_array(str(folder / "in.zarr"), mode="r")[...]
    assert np.array_equal(zarr.open_array(str(folder / "out.zarr"), mode="r")[...], values)


def test_a_scheduler_without_workers_or_none(folder: Path, run: Run) -> None:
    asked = ("reorder", "in.zarr", "out.zarr", "--from", "NCHW", "--to", "NCHW32", "--dry-run")
    with LocalCluster(
        n_workers=0, processes=False, protocol="tcp", host="127.0.0.1", dashboard_address=None
    ) as local:
        message = refused(run(*asked, "--scheduler", local.scheduler_address))
        assert "scheduler: got one without workers" in message
    refused(run(*asked, "--scheduler", "nowhere"))


def test_a_killed_worker_costs_nothing_but_time(folder: Path, run: Run) -> None:
    """One worker is killed while the tasks run; its tasks are done by another."""
    asked = "reorder in.zarr out.zarr --from NCHW --to NCHW32 --workers 2 --memory 1GiB"
    program = started(folder, "from app.cli import main; main()", *asked.split())
    killed = _kill_a_worker(program, until=folder / "out.zarr" / "c")
    _, errors = program.communicate(timeout=300)
    assert program.returncode == 0, errors
    assert killed
    values = zarr.open_array(str(folder / "in.zarr"), mode="r")[...]
    assert np.array_equal(zarr.open_array(str(folder / "out.zarr"), mode="r")[...], values)
    assert not (folder / "out.zarr.part").exists()
    told = json.loads(run("describe", "out.zarr", "--json").stdout)
    assert told["chunks"] == [1, 32, 16, 16]
    shown = run("describe", "out.zarr").stdout
    assert "NCHW32" in shown, "the chunks one behind the other are the layout"


def _kill_a_worker(program: subprocess.Popen[str], until: Path) -> bool:
    deadline_s = time.monotonic() + 300
    while time.monotonic() < deadline_s and program.poll() is None:
        if until.exists():
            for pid in _children(program.pid):
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, signal.SIGKILL)
                    return True
        time.sleep(0.01)
    return False


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def changed(**parts: Any) -> Callable[[dict[str, Any]], str]:
    """Metadata with other parts."""
    return lambda metadata: json.dumps(metadata | parts)


def chunks(*shape: int) -> Callable[[dict[str, Any]], str]:
    return changed(chunk_grid={"name": "regular", "configuration": {"chunk_shape": shape}})


@pytest.mark.parametrize(
    "damage",
    [
        chunks(0, 40, 16, 16),
        chunks(2),
        changed(chunk_grid={"name": "rectilinear", "configuration": {}}),
        changed(codecs=[{"name": "nosuch"}]),
        changed(codecs=[{"name": "transpose", "configuration": {"order": [0, 0, 0, 0]}}]),
        changed(data_type="float31"),
        changed(zarr_format=9),
        changed(fill_value="x"),
        lambda metadata: json.dumps(metadata)[:100],
        lambda _metadata: "[1]",
        lambda _metadata: "[" * 100_000,
    ],
)
def test_a_corrupt_array_is_named(
    folder: Path, run: Run, damage: Callable[[dict[str, Any]], str]
) -> None:
    path = folder / "in.zarr" / "zarr.json"
    path.write_text(damage(json.loads(path.read_text())))
    message = refused(run("describe", "in.zarr"))
    assert re.match(r"stridescope: in\.zarr: got (what cannot be read|chunks)", message)


def test_a_chunk_that_cannot_be_decoded_is_one_line(
    folder: Path, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "in.zarr" / "c" / "3" / "0" / "0" / "0").write_bytes(b"12")
    move = ("in.zarr", "out.zarr", "--from", "NCHW", "--to", "NHWC", "--workers", "1", "--quiet")
    message = refused(run("reorder", *move))
    assert re.fullmatch(r"stridescope: in\.zarr: got what cannot be read .*\n", message)
    assert "Traceback" not in capfd.readouterr().err, "of a worker"


class Endpoint(BaseHTTPRequestHandler):
    """Counts the requests of an object store, or of a cloud's metadata address; has nothing."""

    def do_GET(self) -> None:
        assert isinstance(self.server, Counting)
        self.server.requests += 1
        self.send_response(404)
        self.end_headers()

    do_PUT = do_GET  # noqa: N815  # the name is the base class's

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Counting(ThreadingHTTPServer):
    requests = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@pytest.fixture
def endpoints(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Counting]]:
    """A store of S3, and a metadata address, as the environment names them."""
    with ExitStack() as stack:
        servers = [stack.enter_context(Counting(("127.0.0.1", 0), Endpoint)) for _ in range(2)]
        for server in servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
        monkeypatch.setenv("AWS_ENDPOINT_URL", servers[0].url)
        monkeypatch.setenv("AWS_METADATA_ENDPOINT", servers[1].url)
        yield servers


@pytest.mark.parametrize(
    ("environment", "asks_metadata"),
    [
        ({}, False),
        ({"AWS_WEB_IDENTITY_TOKEN_FILE": "/half"}, False),
        ({"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}, False),
        ({"STRIDESCOPE_MACHINE_KEYS": "1"}, True),
    ],
)
def test_no_metadata_address_is_asked_unless_it_is_switched_on(
    run: Run,
    endpoints: list[Counting],
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    *,
    asks_metadata: bool,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    refused(run("describe", "s3://bucket/in.zarr"))
    store, metadata = endpoints
    assert (metadata.requests > 0) == asks_metadata
    assert (store.requests > 0) == (not asks_metadata)


def test_a_store_that_cannot_be_reached_is_one_line(
    run: Run, endpoints: list[Counting], monkeypatch: pytest.MonkeyPatch
) -> None:
    with reserved_port() as port:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        message = refused(run("describe", "s3://bucket/in.zarr"))
    expected = r"stridescope: s3://bucket/in\.zarr: got what cannot be read \(Generic S3 error.*\n"
    assert re.fullmatch(expected, message)
    assert not any(server.requests for server in endpoints)


@pytest.mark.parametrize(
    ("files", "more", "says"),
    [
        ("in.zarr out.npy", "", "OUT: "),
        ("in.zarr out.zarr", "--to OIhw4i16o4i", "to: "),
        ("in.zarr out.zarr", "--to OIhw4i16o4i", "--physical"),
        ("in.zarr out.zarr", "--from NC?W", "from"),
        ("none.zarr out.zarr", "", "none.zarr: got no array"),
        ("old.zarr out.zarr", "", "got zarr v2; expected an array of zarr v3"),
        ("in.zarr out.zarr", "--to NCHW32 --chunks 1,16,16,16", "chunks: "),
        ("in.zarr out.zarr", "--memory 9", "memory: "),
        ("in.npy out.npy", "--workers 2", "workers: "),
        ("in.zarr in.zarr", "", "OUT: got text"),
        ("in.zarr out.zarr", "--memory all", "memory: "),
        ("in.zarr out.zarr", "--from NC", "from: "),
        ("in.zarr out.zarr", "--to (5,1)", "to: got a layout that"),
        ("in.zarr out.zarr", "--chunks 2", "chunks: "),
        ("in.zarr out.zarr", "--shape 24,40", "shape: "),
    ],
)
def test_what_cannot_be_done_is_said(
    files: str, more: str, says: str, folder: Path, run: Run
) -> None:
    zarr.create_array("old.zarr", shape=(2, 3), dtype="int8", zarr_format=2)
    done = run("reorder", *files.split(), "--from", "NCHW", "--to", "NHWC", *more.split())
    assert says in refused(done)
    assert sorted(path.name for path in folder.iterdir()) == ["in.zarr", "old.zarr"]
