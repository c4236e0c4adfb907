"""Processes that end with the one that started them."""

import os
import select
import signal
import subprocess
import sys

from app.engine.reorder import children

ROOT = os.fspath(__file__).rsplit("/tests/", 1)[0]
# Starts a process that says its number and would then sleep for an hour, and waits for it.
PARENT = """
import subprocess
from app.engine.reorder import children
code = "import os, time; print(os.getpid(), flush=True); time.sleep(3600)"
subprocess.run(children.command(code))
"""


def test_a_process_ends_when_its_parent_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as parent:
        assert parent.stdout is not None
        handle = os.pidfd_open(int(parent.stdout.readline()))
        try:
            parent.send_signal(signal.SIGKILL)
            ended, _, _ = select.select([handle], [], [], 120)
            assert ended
        finally:
            os.close(handle)


def test_a_process_that_has_lost_its_parent_does_nothing() -> None:
    command = children.command("print('begun')")
    orphan = [part.replace(f"!= {os.getpid()}", "!= 0") for part in command]
    assert orphan != command
    done = subprocess.run(orphan, stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (0, b"begun\n")
