"""Memory of threads: each has its own, and what one leaves is cleared for the next."""

import gc
import subprocess
import sys
import threading

from app.engine.reorder.kernels.prepared import ThreadMemory

SIZE = 4096


def test_each_thread_has_its_own_memory_at_a_line() -> None:
    memory = ThreadMemory(SIZE)
    memory.bytes().fill(1)
    others: list[tuple[int, int]] = []
    both = threading.Barrier(2)

    def look() -> None:
        others.append((memory.address, int(memory.bytes().max())))
        both.wait(60)

    threads = [threading.Thread(target=look) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len({memory.address, *(address for address, _ in others)}) == 3
    assert all(not address % 64 for address, _ in others)
    assert [most for _, most in others] == [0, 0]
    assert memory.bytes().min() == 1


def test_what_a_thread_leaves_is_cleared_for_the_next() -> None:
    memory = ThreadMemory(SIZE)
    seen: list[tuple[int, int]] = []

    def use() -> None:
        seen.append((memory.address, int(memory.bytes().max())))
        memory.bytes().fill(7)

    for _ in range(2):
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
        del thread
        gc.collect()
    assert seen[0] == seen[1] == (seen[0][0], 0)


def test_a_process_ends_while_a_daemon_thread_is_in_a_kernel() -> None:
    script = """
import threading, numpy as np
from app.engine import parse_layout, reorder
source, target = (parse_layout(name, (64, 64, 32, 32)) for name in ("NCHW", "NHWC"))
items = np.arange(source.elements, dtype=np.float32)
def work():
    while True:
        reorder(items, source, target, threads=1, backend="numba")
        begun.set()
begun = threading.Event()
threading.Thread(target=work, daemon=True).start()
begun.wait(300)
"""
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", script], timeout=300, check=False)
        assert done.returncode == 0
