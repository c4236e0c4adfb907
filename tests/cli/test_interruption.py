"""A reorder that is told to end: the target as it was, nothing beside it, the signal's code."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from app.cli.whole_file import InterruptedBySignal, interruptible, mapped, written_whole
from tests.cli.conftest import started
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
    [(signal.SIGINT, "out.npy"), (signal.SIGHUP, "in.npy")],
)
def test_nothing_is_left_behind(tmp_path: Path, number: signal.Signals, target: str) -> None:
    np.save(tmp_path / "in.npy", np.arange(6 << 10).reshape(2, 3, 4, 256))
    (tmp_path / "out.npy").write_text("precious")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    asked = "--from", "NCHW", "--to", "NHWC", "--backend", "numpy"
    with started(tmp_path, WAITS_HALFWAY, "reorder", "in.npy", target, *asked) as process:
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


@pytest.mark.parametrize("name", ["app.cli.commands", "uvicorn"])
def test_an_interruption_while_modules_load_is_one_line(name: str) -> None:
    with started(ROOT, INTERRUPTED, name) as process:
        _, said = process.communicate(timeout=LIMIT_S)
    assert (process.returncode, said) == (130, "stridescope: interrupted (SIGINT)\n")


def test_what_nohup_ignores_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interruptible():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_second_signal_does_not_stop_the_cleaning_and_handlers_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unlink = Path.unlink

    def disturbed(path: Path, *, missing_ok: bool = False) -> None:
        os.kill(os.getpid(), signal.SIGTERM)  # SIGINT is ignored where tests run in the background
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", disturbed)
    before = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)]
    with (
        pytest.raises(InterruptedBySignal, match="SIGTERM"),
        interruptible(),
        written_whole(tmp_path / "out", 10),
    ):
        os.kill(os.getpid(), signal.SIGTERM)
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)] == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("reserves", [True, False])
@pytest.mark.parametrize("size_bytes", [0, (1 << 22) + 5])
def test_what_is_written_is_there_at_the_end_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size_bytes: int, *, reserves: bool
) -> None:
    if not reserves:
        monkeypatch.delattr(os, "posix_fallocate")
    path = tmp_path / "out"
    (tmp_path / "other").touch()
    with written_whole(path, size_bytes) as content:
        assert not content.any()
        content[-1:] = 7
        assert not path.exists()
    assert path.stat().st_mode == (tmp_path / "other").stat().st_mode
    np.testing.assert_array_equal(np.fromfile(path, np.uint8), content)
    np.testing.assert_array_equal(mapped(str(path)), content)
    assert len(content) == size_bytes
