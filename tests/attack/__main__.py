"""All attacks on a started service, one after the other: `make attack`.

    python -m tests.attack [--short] [NAME ...]

Prints, beside each attack, how long it took, the most memory above that of the service at rest, and
how long /healthz took meanwhile. Ends with status 1 if one of them has won.
"""

import argparse
import sys

from rich.console import Console
from rich.table import Table

from tests.attack.attacks import ATTACKS, LONG, SHORT, Attack, killed_workers, settings
from tests.attack.program import Watch, started, watching

SPARE_BYTES = 100 << 20
DELAY_S = 0.1


def losses(watch: Watch, statuses: dict[str, int], attack: Attack) -> list[str]:
    """What the service did not hold."""
    limit = watch.program.settings["max_memory_bytes"] + SPARE_BYTES
    found = [f"status {each}" for each in statuses if each.startswith("5") and each != "503"]
    if watch.growth_bytes > limit:
        found.append(f"{watch.growth_bytes >> 20} MB, over {limit >> 20}")
    if watch.failures:
        found.append(f"/healthz failed {watch.failures} times")
    if watch.lost_workers and attack is not killed_workers:
        found.append(f"{watch.lost_workers} workers died")
    return found


def main() -> int:
    """Attack, and print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--short", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    scale = SHORT if arguments.short else LONG
    table = Table(title="Attacks on a started service")
    delay = "/healthz p50 p99 max (machine), ms"
    for heading in ("attack", "answers", "s", "MB", "disk MB", delay, "lost"):
        table.add_column(heading)
    lost = 0
    with started(**settings(scale)) as program:
        for attack in ATTACKS:
            if arguments.names and attack.__name__ not in arguments.names:
                continue
            statuses, wrong = {}, []
            with watching(program) as watch:
                try:
                    statuses = dict(attack(program, scale))
                except AssertionError as error:
                    wrong = [str(error)]
            wrong += losses(watch, statuses, attack)
            # A round trip is some three turns of the machine: theirs, ours, theirs.
            if watch.delay_s(0.99) > DELAY_S + 3 * watch.pause_s(0.99):
                wrong.append(f"/healthz {watch.delay_s(0.99):.3f} s")
            lost += bool(wrong)
            delays = " ".join(f"{1000 * watch.delay_s(share):.0f}" for share in (0.5, 0.99, 1))
            delays += f" ({1000 * watch.pause_s(0.99):.0f})"
            answers = ", ".join(f"{count} × {name}" for name, count in sorted(statuses.items()))
            table.add_row(
                attack.__name__.replace("_", " "),
                answers,
                f"{watch.seconds:.1f}",
                str(watch.growth_bytes >> 20),
                str(watch.most_disk_bytes >> 20),
                delays,
                "; ".join(wrong) or "nothing",
            )
            sys.stderr.write(".")
    Console(width=150).print(table)
    return int(lost > 0)


if __name__ == "__main__":
    raise SystemExit(main())
