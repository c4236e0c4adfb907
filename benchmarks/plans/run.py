"""Prints for every example network the least bytes beside what rule sets would pay.

``python -m benchmarks.plans.run`` prints the README's table. All columns count alike: the bytes of
all reorders, read and written, and what convolutions in plain memory reorder inside
(``app/engine/network/planner/offers.py``). The time is that of reading the graph's choices and of
the proof, without the other columns.
"""

from __future__ import annotations

import time

from app.contract.plans import followed
from app.engine.network import RULE_SETS
from app.engine.network.deadline import Deadline
from app.engine.network.examples import EXAMPLES
from app.engine.network.planner import plan_layouts


def _megabytes(value: float | None) -> str:
    return "–" if value is None else f"{value / 1e6:,.2f}"


def main() -> None:
    """Print the table, a row a network."""
    names = ["least", *RULE_SETS, "all plain", "all channels-last"]
    print("| MB read and written | operators | proof | " + " | ".join(names) + " |")
    print("|---|--:|--:|" + "--:|" * len(names))
    for example in EXAMPLES.values():
        graph = example.graph
        start_s = time.perf_counter()
        found = plan_layouts(graph, compare=False)
        seconds = time.perf_counter() - start_s
        assert found.optimal, example.name
        plan = plan_layouts(graph, followed=followed(graph), deadline=Deadline.after(60))
        costs = {each.name: each.cost for each in plan.baselines}
        uniform = [cost for name, cost in costs.items() if name.startswith("all ")]
        row = [plan.cost, *(costs.get(name) for name in RULE_SETS), *uniform]
        row += [None] * (2 - len(uniform))
        cells = " | ".join(map(_megabytes, row))
        print(f"| {example.title} | {len(graph.nodes)} | {seconds:.2f} s | {cells} |")


if __name__ == "__main__":
    main()
