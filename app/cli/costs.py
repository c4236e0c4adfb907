"""Tables of what accesses cost, for the command line."""

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .tables import columns, pairs, section

Answer = dict[str, Any]
_COUNTED = Text("Counted, not measured.", style="dim")


def walk_sections(found: Answer) -> Iterator[RenderableType]:
    """What a walk costs, and all orders of the loops if there are."""
    lines, pages, jumps, stopped = (found[name] for name in ("lines", "pages", "jumps", "stopped"))
    least = set(stopped["at_least"]) if stopped else set()
    table = pairs(right=True)
    table.add_row("loops", found["order"] or "-")
    table.add_row("accesses", f"{found['accesses']:,}")
    for kind, counts in (("lines", lines), ("pages", pages)):
        for name, value in counts.items():
            table.add_row(f"{kind} {name}", _number(value, at_least=f"{kind}.{name}" in least))
    for name, value in jumps.items():
        table.add_row(f"{name} jump", "-" if value is None else f"{value:,}")
    yield table
    if stopped:
        yield Text(
            f"The counter stopped after {stopped['accesses']:,} accesses; >= is a lower bound."
        )
    if orders := found.get("orders"):
        ranked = columns("loops", "lines fetched", "pages fetched", "", right=(1, 2))
        for each in orders:
            unsure = each.stopped is not None
            ranked.add_row(
                each.order or "-",
                _number(each.lines_fetched, at_least=unsure),
                _number(each.pages_fetched, at_least=unsure),
                "best" if each.best else "",
            )
        yield section("Orders of the loops", ranked)
    yield _COUNTED


def warp_sections(found: Answer) -> Iterator[RenderableType]:
    """What an access of a warp costs, and what removes its conflicts if that was asked."""
    table = pairs(right=True)
    active = sum(lane["address"] is not None for lane in found["lanes"])
    table.add_row("active lanes", f"{active} of {len(found['lanes'])}")
    table.add_row("lane bytes", f"{found['lane_bytes']:,}")
    counted = [("one warp", found)]
    if whole := found["all"]:
        counted.append((f"all {whole['warps']:,} warps", whole))
    for whose, counts in counted:
        for name in ("sectors", "ideal_sectors", "passes", "ideal_passes", "conflicts"):
            if counts[name] is not None:
                table.add_row(f"{name.replace('_', ' ')}, {whose}", f"{counts[name]:,}")
    yield table
    suggestion = found.get("suggestion")
    if suggestion is not None:
        fixes = [suggestion["padding"], *suggestion["swizzles"]]
        listed = columns("layout", "along", "warps", "passes", "conflicts", right=(2, 3, 4))
        for fix in filter(None, fixes):
            for at, access in enumerate(fix["accesses"]):
                name = "" if at else fix["layout"]
                numbers = (access.warps, access.passes, access.conflicts)
                listed.add_row(name, access.along, *map(str, numbers))
        body: RenderableType = listed if listed.row_count else Text("none found, or none needed")
        yield section("Layouts without conflicts, counted over all warps", body)
    yield _COUNTED


def _number(value: int, *, at_least: bool) -> str:
    return f">= {value:,}" if at_least else f"{value:,}"
