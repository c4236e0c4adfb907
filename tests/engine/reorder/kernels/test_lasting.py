"""Memory of threads: each has its own, and what one leaves is cleared for the next."""

import gc
import subprocess
import sys
import threading

from app.engine.reorder.kernels.prepared import ThreadMemory

SIZE = 4096


def test_each_thread_has_its_own_memory_at_a_line_which_is_cleared_for_the_next() -> None:
    memory = ThreadMemory(SIZE)
    memory.bytes().fill(1)
    seen: list[tuple[int, int]] = []

    def use(both: threading.Barrier) -> None:
        seen.append((memory.address, int(memory.bytes().max())))
        both.wait(60)
        memory.bytes().fill(7)

    for count in (2, 2, 1):
        both = threading.Barrier(count)
        threads = [threading.Thread(target=use, args=[both]) for _ in range(count)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        del each, threads
        gc.collect()
    assert [most for _, most in seen] == [0] * 5
    assert len({memory.address, *(address for address, _ in seen)}) == 3
    assert all(not address % 64 for address, _ in seen)
    assert memory.bytes().min() == 1


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
