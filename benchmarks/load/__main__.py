"""Mixed load through the committed proxy and two replicas, on loopback; ends by itself.

    python -m benchmarks.load [--minutes 30] [--clients 8] [--seed 1]

In the middle one replica is killed (kill -9), and started again five seconds later. Prints rates,
times and memory by minute. Ends with status 1 if a call was lost that was not in the hands of the
killed replica, if an answer changed, or if memory grew.
"""

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median
from threading import Event

from rich.console import Console
from rich.table import Table

from .calls import mixed
from .clients import Found, Lost, started
from .proxy import proxy
from .replicas import Replica

SAMPLE_S = 2.0
AWAY_S = 5.0  # from the kill to the new start
SETTLED_S = 3.0  # so long after the kill, calls that began before it may still be lost
GROWTH = 1.05
GROWTH_BYTES = 16 << 20
MB = 1e6


def percentile(values: list[float], share: float) -> float:
    """Return the value below which ``share`` of ``values`` lie."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def watch(
    minutes: float, replicas: list[Replica], begin_s: float
) -> tuple[float, list[list[tuple[float, int]]]]:
    """Sample memory until the end, and kill the second replica in the middle.

    Returns the second of the kill, and per replica (second, bytes).
    """
    samples: list[list[tuple[float, int]]] = [[] for _ in replicas]
    killed_s, back = float("inf"), False
    while (now_s := time.monotonic() - begin_s) < 60 * minutes:
        if now_s >= 30 * minutes and killed_s == float("inf"):
            replicas[1].kill()
            killed_s = time.monotonic() - begin_s
        if now_s >= killed_s + AWAY_S and not back:
            replicas[1].start()
            back = True
        for samples_of, replica in zip(samples, replicas, strict=True):
            samples_of.append((now_s, replica.memory_bytes()))
        time.sleep(SAMPLE_S)
    return killed_s, samples


def table(found: Found, samples: list[list[tuple[float, int]]]) -> Table:
    """Return rates, times and memory by minute."""
    rows = Table("minute", "calls/s", "p50 ms", "p99 ms", "503", "lost", "A MB", "B MB")
    for minute in sorted(found.seconds):
        times = [t for of_kind in found.seconds[minute].values() for t in of_kind]
        lost = sum(int(each.end_s // 60) == minute for each in found.lost)
        memory = [
            max((size for at, size in each if int(at // 60) == minute), default=0)
            for each in samples
        ]
        rows.add_row(
            str(minute + 1),
            f"{len(times) / 60:.0f}",
            f"{1e3 * percentile(times, 0.5):.1f}",
            f"{1e3 * percentile(times, 0.99):.0f}",
            str(found.refused.get(minute, 0)),
            str(lost),
            *(f"{size / MB:.0f}" for size in memory),
        )
    return rows


def kinds_table(found: Found) -> Table:
    """Return times by kind of call."""
    rows = Table("call", "answered", "p50 ms", "p99 ms")
    kinds = sorted({kind for of_minute in found.seconds.values() for kind in of_minute})
    for kind in kinds:
        times = [t for of_minute in found.seconds.values() for t in of_minute.get(kind, [])]
        p50, p99 = percentile(times, 0.5), percentile(times, 0.99)
        rows.add_row(kind, str(len(times)), f"{1e3 * p50:.1f}", f"{1e3 * p99:.0f}")
    return rows


def not_its_own(lost: list[Lost], killed_s: float) -> list[Lost]:
    """Return the lost calls that the kill does not explain."""
    return [
        each
        for each in lost
        if not (each.begin_s <= killed_s <= each.end_s <= killed_s + SETTLED_S)
        or each.reason.startswith("another")
    ]


def growth(samples: list[tuple[float, int]], minutes: float) -> tuple[float, float]:
    """Return the median memory of the second quarter of a run, and of the last."""
    quarters = [
        [size for at, size in samples if 15 * minutes * k <= at < 15 * minutes * (k + 1)]
        for k in (1, 3)
    ]
    early, late = (median(each) if each else 0.0 for each in quarters)
    return early, late


def main() -> int:
    """Run the load and print what it found; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args()
    calls = mixed(said.seed, 2000)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        replicas = [Replica.made(folder / f"{name}.log") for name in "AB"]
        try:
            for replica in replicas:
                replica.start()
            for replica in replicas:
                replica.wait()
            with proxy(folder / "proxy", [each.port for each in replicas]) as before:
                found = Found(time.monotonic())
                ended = Event()
                threads = started(said.clients, before.port, before.trust, calls, found, ended)
                killed_s, samples = watch(said.minutes, replicas, found.begin_s)
                ended.set()
                for thread in threads:
                    thread.join(timeout=90)
            stops = [replica.stop() for replica in replicas]
        finally:
            for replica in replicas:
                replica.kill()
    return report(found, killed_s, samples, stops, said.minutes)


def report(
    found: Found,
    killed_s: float,
    samples: list[list[tuple[float, int]]],
    stops: list[float],
    minutes: float,
) -> int:
    """Print all that was found; return the exit status."""
    screen = Console(width=110)
    screen.print(table(found, samples))
    screen.print(kinds_table(found))
    count = sum(len(t) for of_minute in found.seconds.values() for t in of_minute.values())
    unexplained = not_its_own(found.lost, killed_s)
    early, late = growth(samples[0], minutes)
    screen.print(
        f"{count} calls answered, {sum(found.refused.values())} refused with 503. "
        f"B killed at {killed_s:.0f} s: {len(found.lost)} calls lost, "
        f"{len(unexplained)} of them not its own."
    )
    for each in unexplained[:20]:
        screen.print(f"  {each}")
    screen.print(
        f"A held {early / MB:.0f} MB in the second quarter and {late / MB:.0f} MB in the last. "
        f"Stopped after {stops[0]:.1f} and {stops[1]:.1f} s."
    )
    grew = late > GROWTH * early + GROWTH_BYTES
    return 1 if unexplained or grew else 0


if __name__ == "__main__":
    raise SystemExit(main())
