"""``stridescope reorder`` and ``describe`` of zarr arrays, in processes of this machine."""

import json
import os
import re
import signal
import subprocess
import sys
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

from tests.cli.conftest import Run
from tests.places import ROOT
from tests.ports import reserved_port

SHAPE = (24, 40, 16, 16)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with in.zarr, of one image a chunk."""
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


def test_a_dry_run_tells_and_writes_nothing(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    asked = ("reorder", "in.zarr", "out.zarr", "--from", "NCHW", "--to", "NCHW32", "--dry-run")
    done = run(*asked, "--workers", "2", "--memory", "1GiB")
    assert done.exit_code == 0, done.stderr
    for word in ("NCHW32", "[1, 32, 16, 16]", "tasks", "memory of a worker", "a chunk 1 times"):
        assert word in done.stdout
    told = json.loads(run(*asked, "--json").stdout)
    assert told["read_amplification"] == 1
    assert told["read_bytes"] == np.prod(SHAPE) * 4
    assert told["written_bytes"] == 24 * 64 * 16 * 16 * 4, "padding to 64 channels"
    assert told["target"]["order"] == [0, 2, 3, 1]
    assert sorted(path.name for path in folder.iterdir()) == ["in.zarr"]


def test_a_scheduler_s_workers_have_limits_of_their_own(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tasks fit the smallest worker, with all that run beside each other in it."""
    monkeypatch.chdir(folder)
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
        done = run(*asked, "--dry-run")
        assert done.exit_code == 0, done.stderr
        assert "2, the least with 400.0 MB for 2 tasks at once" in done.stdout
        told = json.loads(run(*asked, "--dry-run", "--json").stdout)
        assert (told["workers"], told["worker_memory_bytes"]) == (2, 400_000_000)
        assert told["peak_bytes"] <= 400_000_000
        less = json.loads(run(*asked, "--dry-run", "--json", "--memory", "300MB").stdout)
        assert less["worker_memory_bytes"] == 300_000_000
        assert less["peak_bytes"] <= 300_000_000
        more = json.loads(run(*asked, "--dry-run", "--json", "--memory", "4GB").stdout)
        assert more["worker_memory_bytes"] == 400_000_000
        refused = run(*asked, "--dry-run", "--memory", "257MiB")
        assert refused.exit_code == 2
        assert "memory: " in refused.stderr
        assert "268435456 for a worker with its libraries" in refused.stderr
        done = run(*asked)
        assert done.exit_code == 0, done.stderr
        assert "400.0 MB" in done.stdout
    values = zarr.open_array(str(folder / "in.zarr"), mode="r")[...]
    assert np.array_equal(zarr.open_array(str(folder / "out.zarr"), mode="r")[...], values)


def test_a_scheduler_without_workers_or_none(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    asked = ("reorder", "in.zarr", "out.zarr", "--from", "NCHW", "--to", "NCHW32", "--dry-run")
    with LocalCluster(
        n_workers=0, processes=False, protocol="tcp", host="127.0.0.1", dashboard_address=None
    ) as local:
        done = run(*asked, "--scheduler", local.scheduler_address)
        assert done.exit_code == 2
        assert "scheduler: got one without workers" in done.stderr
    assert run(*asked, "--scheduler", "nowhere").exit_code == 2


def test_a_killed_worker_costs_nothing_but_time(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One worker is killed while the tasks run; its tasks are done by another."""
    program = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "app.cli",
            "reorder",
            "in.zarr",
            "out.zarr",
            "--from",
            "NCHW",
            "--to",
            "NCHW32",
            "--workers",
            "2",
            "--memory",
            "1GiB",
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    killed = _kill_a_worker(program, until=folder / "out.zarr" / "c")
    _, said = program.communicate(timeout=300)
    assert program.returncode == 0, said
    assert killed
    values = zarr.open_array(str(folder / "in.zarr"), mode="r")[...]
    assert np.array_equal(zarr.open_array(str(folder / "out.zarr"), mode="r")[...], values)
    assert not (folder / "out.zarr.part").exists()
    monkeypatch.chdir(folder)
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
        chunks(-1, 40, 16, 16),
        chunks(2),
        changed(chunk_grid={"name": "rectilinear", "configuration": {}}),
        changed(codecs=[{"name": "nosuch"}]),
        changed(codecs=[]),
        changed(codecs=[{"name": "transpose", "configuration": {"order": [0, 0, 0, 0]}}]),
        changed(data_type="float31"),
        changed(shape=[-24, 40, 16, 16]),
        changed(shape="x"),
        changed(zarr_format=9),
        changed(fill_value="x"),
        lambda metadata: json.dumps(metadata)[:100],
        lambda _metadata: "",
        lambda _metadata: "[1]",
        lambda _metadata: "[" * 100_000,
    ],
)
def test_a_corrupt_array_is_named(
    folder: Path, run: Run, damage: Callable[[dict[str, Any]], str]
) -> None:
    path = folder / "in.zarr" / "zarr.json"
    path.write_text(damage(json.loads(path.read_text())))
    array, fresh = str(folder / "in.zarr"), str(folder / "out.zarr")
    move = ("--from", "NCHW", "--to", "NHWC", "--dry-run")
    for call in (("describe", array), ("reorder", array, fresh, *move)):
        done = run(*call)
        assert done.exit_code == 2
        assert re.match(r"stridescope: \S*in\.zarr: got (what cannot be read|chunks)", done.stderr)


def test_zarr_v2_is_named(run: Run, tmp_path: Path) -> None:
    place = str(tmp_path / "old.zarr")
    zarr.create_array(place, shape=(2, 3), dtype="int8", zarr_format=2)
    assert "got zarr v2; expected an array of zarr v3" in run("describe", place).stderr


def test_a_chunk_that_cannot_be_decoded_is_one_line(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    (folder / "in.zarr" / "c" / "3" / "0" / "0" / "0").write_bytes(b"12")
    move = ("in.zarr", "out.zarr", "--from", "NCHW", "--to", "NHWC", "--workers", "1", "--quiet")
    done = run("reorder", *move)
    assert done.exit_code == 2
    assert re.fullmatch(r"stridescope: in\.zarr: got what cannot be read .*\n", done.stderr)
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
    done = run("describe", "s3://bucket/in.zarr")
    assert done.exit_code == 2
    store, metadata = endpoints
    assert (metadata.requests > 0) == asks_metadata
    assert (store.requests > 0) == (not asks_metadata)


def test_a_store_that_cannot_be_reached_is_one_line(
    run: Run, endpoints: list[Counting], monkeypatch: pytest.MonkeyPatch
) -> None:
    with reserved_port() as port:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        done = run("describe", "s3://bucket/in.zarr")
    assert done.exit_code == 2
    said = r"stridescope: s3://bucket/in\.zarr: got what cannot be read \(Generic S3 error.*\n"
    assert re.fullmatch(said, done.stderr)
    assert not any(server.requests for server in endpoints)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("in.zarr", "out.npy", "--from", "NCHW", "--to", "NHWC"), "OUT: "),
        (("in.zarr", "out.zarr", "--from", "NCHW", "--to", "OIhw4i16o4i"), "to: "),
        (("in.zarr", "out.zarr", "--from", "NCHW", "--to", "OIhw4i16o4i"), "--physical"),
        (("in.zarr", "out.zarr", "--from", "NC?W", "--to", "NHWC"), "from"),
        (("none.zarr", "out.zarr", "--from", "NCHW", "--to", "NHWC"), "none.zarr: got no array"),
        (
            ("in.zarr", "out.zarr", "--from", "NCHW", "--to", "NCHW32", "--chunks", "1,16,16,16"),
            "chunks: ",
        ),
        (("in.zarr", "out.zarr", "--from", "NCHW", "--to", "NHWC", "--memory", "9"), "memory: "),
        (("in.npy", "out.npy", "--from", "NCHW", "--to", "NHWC", "--workers", "2"), "workers: "),
        (("in.zarr", "in.zarr", "--from", "NCHW", "--to", "NHWC"), "OUT: got text"),
        (("in.zarr", "out.zarr", "--from", "NCHW", "--to", "NHWC", "--memory", "all"), "memory: "),
        (("in.zarr", "out.zarr", "--from", "NC", "--to", "NHWC"), "from: "),
        (("in.zarr", "out.zarr", "--from", "NCHW", "--to", "(5, 1)"), "to: got a layout that"),
        (("in.zarr", "out.zarr", "--from", "NCHW", "--to", "NHWC", "--chunks", "2"), "chunks: "),
        (("in.zarr", "out.zarr", "--from", "NCHW", "--to", "NHWC", "--shape", "24,40"), "shape: "),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: tuple[str, ...], says: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    done = run("reorder", *arguments)
    assert done.exit_code == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["in.zarr"]
