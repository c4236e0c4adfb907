"""Prints for every example network the least bytes beside what rule sets would pay.

``python -m benchmarks.plans.run`` prints the table of docs/networks.md: what reorders of
activations read and write at each run, then, after a +, what nodes move themselves in their layouts
by the table of the plan (``app/engine/network/planner/offers.py``). The time is that of reading the
graph's choices and of the proof, without the other columns.
"""

import time

from app.contract.plans import followed
from app.engine.network import RULE_SETS
from app.engine.network.deadline import Deadline
from app.engine.network.examples import EXAMPLES
from app.engine.network.planner import plan_layouts


def _megabytes(bytes_moved: float, node_cost: float) -> str:
    inside = f" + {node_cost / 1e6:,.2f}" if node_cost else ""
    return f"{bytes_moved / 1e6:,.2f}{inside}"


def main() -> None:
    """Print the table, a row a network."""
    labels = [each.label for each in RULE_SETS.values()]
    names = ["least", *labels, "all plain", "all channels-last"]
    print("| MB read and written at each run | operators | proof | " + " | ".join(names) + " |")
    print("|---|--:|--:|" + "--:|" * len(names))
    for example in EXAMPLES.values():
        graph = example.graph
        start_s = time.perf_counter()
        found = plan_layouts(graph, compare=False)
        seconds = time.perf_counter() - start_s
        assert found.optimal, example.name
        plan = plan_layouts(graph, followed=followed(graph), deadline=Deadline.after(60))
        bars = {each.name: each for each in plan.baselines}
        uniform = [name for name in bars if name.startswith("all ")]
        cells = [_megabytes(plan.cost - plan.node_cost, plan.node_cost)]
        for name in (*RULE_SETS, *uniform):
            bar = bars[name]
            # The bar of a rule set is its reorders alone.
            again = bar.prepared_bytes if bar.weights_each_call else 0
            moved = bar.cost - bar.node_cost - again
            cells.append(_megabytes(moved, bar.node_cost))
        cells += ["–"] * (2 - len(uniform))
        print(f"| {example.title} | {len(graph.nodes)} | {seconds:.2f} s | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
