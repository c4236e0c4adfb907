"""A reorder that is told to end: the target as it was, nothing beside it, the signal's code."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from app.cli.whole_file import InterruptedBySignal, interruptible, mapped, written_whole
from tests.places import ROOT

LIMIT_S = 300

# The first slab is written, then the program waits to be told.
WAITS_HALFWAY = f"""
import signal, sys, time
from app.cli.commands import app
from app.files import reorder as reorder_files
# A test run in the background hands down that SIGINT is ignored.
for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
    signal.signal(number, signal.SIG_DFL)
real = reorder_files.reordered
def halfway(*given, progress, **named):
    def wait(done):
        progress(done)
        print("halfway", flush=True)
        time.sleep({LIMIT_S})
    return real(*given, progress=wait, **named)
reorder_files.reordered = halfway
app(sys.argv[1:])
"""


@pytest.mark.parametrize(
    ("number", "target"),
    [
        (signal.SIGINT, "out.npy"),
        (signal.SIGHUP, "in.npy"),
        (signal.SIGTERM, "new.npy"),
    ],
)
def test_nothing_is_left_behind(tmp_path: Path, number: signal.Signals, target: str) -> None:
    np.save(tmp_path / "in.npy", np.arange(6 << 10).reshape(2, 3, 4, 256))
    (tmp_path / "out.npy").write_text("precious")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    arguments = ["reorder", "in.npy", target, "--from", "NCHW", "--to", "NHWC"]
    with subprocess.Popen(
        [sys.executable, "-c", WAITS_HALFWAY, *arguments, "--backend", "numpy"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "halfway\n"
        parts = [path.name for path in tmp_path.iterdir() if path.name not in before]
        assert len(parts) == 1
        assert parts[0].endswith(".part")
        process.send_signal(number)
        _, said = process.communicate(timeout=LIMIT_S)
    assert said == f"stridescope: interrupted ({number.name})\n"
    assert process.returncode == 128 + number
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
awaited = sys.argv[1]
class Interrupting:
    def find_spec(self, name, *_):
        if name == awaited:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
from app.cli import main
sys.argv[1:] = ["serve"]
main()
"""


@pytest.mark.parametrize("name", ["app.cli.commands", "numpy", "uvicorn"])
def test_an_interruption_while_modules_load_is_one_line(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, name],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert (done.returncode, done.stderr) == (130, "stridescope: interrupted (SIGINT)\n")


def test_a_signal_inside_is_one_interruption_and_handlers_come_back() -> None:
    before = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)]
    with pytest.raises(InterruptedBySignal, match="SIGTERM"), interruptible():
        os.kill(os.getpid(), signal.SIGTERM)
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)] == before


def test_what_nohup_ignores_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interruptible():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_second_signal_does_not_stop_the_cleaning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unlink = Path.unlink

    def disturbed(path: Path, *, missing_ok: bool = False) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", disturbed)
    with (
        pytest.raises(InterruptedBySignal, match="SIGTERM"),
        interruptible(),
        written_whole(tmp_path / "out", 10),
    ):
        os.kill(os.getpid(), signal.SIGTERM)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("reserves", [True, False])
@pytest.mark.parametrize("size_bytes", [0, 1, (1 << 22) + 5])
def test_what_is_written_is_there_at_the_end_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size_bytes: int, *, reserves: bool
) -> None:
    if not reserves:
        monkeypatch.delattr(os, "posix_fallocate")
    path = tmp_path / "out"
    with written_whole(path, size_bytes) as content:
        assert not content.any()
        content[-1:] = 7
        assert not path.exists()
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    np.testing.assert_array_equal(np.fromfile(path, np.uint8), content)
    np.testing.assert_array_equal(mapped(str(path)), content)
    assert len(content) == size_bytes


def test_a_new_file_has_the_mode_of_others(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    with written_whole(tmp_path / "out", 1):
        pass
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_inside_undoes_the_file(tmp_path: Path, error: type[BaseException]) -> None:
    (tmp_path / "out").write_text("precious")

    def work() -> None:
        with written_whole(tmp_path / "out", 10) as content:
            content[:] = 1
            raise error

    with pytest.raises(error):
        work()
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out").read_text() == "precious"
