"""Reorders a zarr array in processes with little memory, beside rechunking it with dask alone.

    python -m benchmarks.scale.run --gigabytes 2 --memory 512MB --s3

NCHW to NCHW32 in float32: one image a chunk in, one block of channels out. Printed are the rate of
each way in MB of the tensor per second, interleaved, and the peak memory of a worker, as the
kernel counts it for its process. In the first run to a folder one worker is killed in the
middle. All chunks of the
result are compared with the engine's reorder. ``--s3`` does the same against a server of moto on
the loopback (``pip install 'moto[server]'``).
"""

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import dask.array as da
import httpx2
import numpy as np
import zarr
from distributed import Client, LocalCluster
from zarr.codecs import TransposeCodec

from app.engine import parse_layout, reorder
from app.files.zarr import places

IMAGE = (64, 128, 128)  # C, H, W: 4 MB
BLOCK = 32


def main() -> None:
    """Print the table."""
    options = _options()
    images = max(int(options.gigabytes * 1e9 / 4 / np.prod(IMAGE)), 4)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        table = [("place", "way", "MB/s, median", "peak of a worker, MB", "killed", "equal")]
        for name, base in _bases(Path(folder), s3=options.s3):
            source = f"{base}/in.zarr"
            _fill(source, images)
            ways: dict[str, Callable[[str], None]] = {
                "stridescope": partial(_ours, source, memory=options.memory),
                "dask alone": partial(_dask, source, memory=options.memory),
            }
            rates: dict[str, list[float]] = {way: [] for way in ways}
            told: dict[str, _Watched] = {}
            for turn in range(options.rounds):
                for way, run in ways.items():
                    target = f"{base}/{way.split()[0]}-{turn}.zarr"
                    killing = Path(target, "c") if way == "stridescope" and turn == 0 else None
                    with _watched(killing) as watched:
                        start_s = time.perf_counter()
                        run(target)
                        seconds = time.perf_counter() - start_s
                    rates[way].append(images * np.prod(IMAGE) * 4 / 1e6 / seconds)
                    seen = told.setdefault(way, watched)
                    seen.peak_bytes = max(seen.peak_bytes, watched.peak_bytes)
                    seen.killed |= watched.killed
                    seen.equal &= _equal(source, target)
                    places.remove(target)
            for way, found in rates.items():
                peak = f"{told[way].peak_bytes / 1e6:.0f}"
                table.append(
                    (
                        name,
                        way,
                        f"{statistics.median(found):.0f}",
                        peak,
                        "one" if told[way].killed else "-",
                        "yes" if told[way].equal else "NO",
                    )
                )
            places.remove(source)
    print(f"{images} images of {IMAGE}, float32, 2 workers of {options.memory}")
    for row in table:
        print("  ".join(f"{cell:<22}" for cell in row).rstrip())


class _Watched:
    """What happened to the workers of one run."""

    def __init__(self) -> None:
        self.peak_bytes = 0
        self.killed = False
        self.equal = True


@contextmanager
def _watched(killing: Path | None) -> Iterator[_Watched]:
    """Follow the worker processes below this one; kill one when the folder ``killing`` is there."""
    watched, stop = _Watched(), threading.Event()

    def follow() -> None:
        while not stop.wait(0.02):
            for pid in _workers(os.getpid()):
                try:
                    status = Path(f"/proc/{pid}/status").read_text()
                except OSError:
                    continue
                peak = [line for line in status.splitlines() if line.startswith("VmHWM")]
                if peak:
                    watched.peak_bytes = max(watched.peak_bytes, int(peak[0].split()[1]) * 1024)
                if killing and not watched.killed and killing.exists():
                    os.kill(pid, signal.SIGKILL)
                    watched.killed = True

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield watched
    finally:
        stop.set()
        thread.join()


def _workers(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(child) for child in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            try:
                command = Path(f"/proc/{child}/cmdline").read_bytes()
            except OSError:
                continue
            if b"spawn_main" in command:
                yield child
            yield from _workers(child)


def _ours(source: str, target: str, *, memory: str) -> None:
    asked = ["--from", "NCHW", "--to", "NCHW32", "--workers", "2", "--memory", memory, "--quiet"]
    subprocess.run([sys.executable, "-m", "app.cli", "reorder", source, target, *asked], check=True)


def _dask(source: str, target: str, *, memory: str) -> None:
    program = (
        f"from benchmarks.scale.run import rechunk; rechunk({source!r}, {target!r}, {memory!r})"
    )
    subprocess.run([sys.executable, "-c", f"if __name__ == '__main__': {program}"], check=True)


def rechunk(source: str, target: str, memory: str) -> None:
    """The same arrays with dask alone: a target with the same chunks, written block by block."""
    array = da.from_zarr(places.opened(source))
    out = _created(target, array.shape)
    chunks = (1, BLOCK, *IMAGE[1:])
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit=memory, dashboard_address=None
        ) as cluster,
        Client(cluster),
    ):
        array.rechunk(chunks).store(out, lock=False)


def _created(place: str, shape: tuple[int, ...]) -> zarr.Array[Any]:
    return zarr.create_array(
        places.store(place),
        shape=shape,
        chunks=(1, BLOCK, *IMAGE[1:]),
        dtype="float32",
        filters=[TransposeCodec(order=(0, 2, 3, 1))],
        compressors=None,
    )


def _fill(place: str, images: int) -> None:
    array = zarr.create_array(
        places.store(place),
        shape=(images, *IMAGE),
        chunks=(1, *IMAGE),
        dtype="float32",
        compressors=None,
        dimension_names=list("NCHW"),
    )
    draw = np.random.default_rng(1)
    for n in range(images):
        array[n] = draw.random(IMAGE, dtype=np.float32)


def _equal(source: str, target: str) -> bool:
    """Compare each chunk with the engine's reorder of its image."""
    shape = (1, *IMAGE)
    first, last = parse_layout("NCHW", shape), parse_layout("NCHW32", shape)
    given, made = places.opened(source), places.opened(target)
    for n in range(given.shape[0]):
        image = np.asarray(given[n : n + 1])
        wanted = reorder(image.reshape(-1), first, last).reshape(-1, *IMAGE[1:], BLOCK)
        for block, values in enumerate(wanted):
            found = np.asarray(made[n, block * BLOCK : (block + 1) * BLOCK])
            if not np.array_equal(found, values.transpose(2, 0, 1)):
                return False
    return True


def _bases(folder: Path, *, s3: bool) -> Iterator[tuple[str, str]]:
    yield "folder", str(folder)
    if not s3:
        return
    server = shutil.which("moto_server", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if server is None:
        print("no moto_server: pip install 'moto[server]'")
        return
    port = "5599"
    running = subprocess.Popen(
        [server, "-H", "127.0.0.1", "-p", port],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        os.environ |= {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "moto",
            "AWS_SECRET_ACCESS_KEY": "moto",
            "AWS_REGION": "us-east-1",
        }
        _make_bucket(f"http://127.0.0.1:{port}/bucket")
        yield "S3 of moto", "s3://bucket"
    finally:
        running.terminate()
        running.wait()


def _make_bucket(url: str) -> None:
    for _ in range(100):
        try:
            httpx2.put(url).raise_for_status()
            return
        except httpx2.TransportError:
            time.sleep(0.2)
    raise SystemExit("moto_server did not start")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=2)
    parser.add_argument("--memory", default="512MB")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", default=None)
    parser.add_argument("--s3", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
