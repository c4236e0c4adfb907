"""``stridescope run``: what a log, a profile or a program under the trace says of its layouts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from rich.console import RenderableType
from rich.text import Text
from typer import Argument, Exit, Option
from typer.core import TyperCommand

from ..contract.runs import run_json
from ..engine.runs.finding import Finding
from ..engine.runs.report import LayoutPair, Run, read_run
from ..engine.runs.trace_network import columns_if_any
from ..files.onnx.nchwc import read_nodes
from ..tracing.run import traced_script
from .arguments import AsJson, beside, not_beside, refuse, show
from .refusals import printable
from .tables import columns, count, section
from .whole_file import STREAM, standard_input

_MOST_ROWS = 12


class RunCommand(TyperCommand):
    """Leaves what follows the script of --torch to the script."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put ``--`` before the arguments of the script."""
        if "--torch" in args:
            script = args.index("--torch") + 2
            args = [*args[:script], "--", *args[script:]]
        return super().parse_args(ctx, args)


def run(
    source: Annotated[
        str, Argument(metavar="FILE", help="A log, a profile or a saved trace; - is the input.")
    ],
    arguments: Annotated[
        list[str] | None, Argument(metavar="[ARGS]...", help="Of the script of --torch.")
    ] = None,
    torch: Annotated[
        bool, Option("--torch", help="FILE is a script: run it under a trace of PyTorch.")
    ] = False,
    save: Annotated[Path | None, Option(help="Where to keep the trace of --torch.")] = None,
    model: Annotated[
        Path | None,
        Option(help="The optimised model that ONNX Runtime saved in the profile's session."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what ran: reorders, copies, their times and bytes, and what to do about them.

    `stridescope run --torch train.py --epochs 1` runs the script, and then prints the findings to
    the error output; the script's own output and status stay as they are.
    """
    if torch:
        refuse({"model": model, "json": as_json}, not_beside("--torch"))
        raise Exit(traced_script(source, arguments or [], save))
    refuse({"arguments": arguments, "save": save}, beside("--torch"))
    data = standard_input().read() if source == STREAM else Path(source).read_bytes()
    nodes = None if model is None else read_nodes(model.read_bytes())
    found = read_run(data.decode("utf-8", "replace"), nodes=nodes)
    show(run_json(found), lambda: run_sections(found), as_json=as_json)


def run_sections(run: Run) -> Iterator[RenderableType]:
    """Totals, findings, and the tables of primitives and of reorders."""
    totals = run.totals
    yield Text(f"{run.kind}  {', '.join(map(printable, run.versions))}".rstrip(), style="bold")
    share = f" ({totals.reorder_ms / totals.ms:.0%})" if totals.ms > 0 else ""
    more = "at least " if totals.reorder_bytes_at_least else ""
    yield Text(f"{count(totals.events, 'event')}, {totals.ms:.4g} ms")
    yield Text(
        f"{count(totals.reorders, 'reorder')}, {totals.reorder_ms:.4g} ms{share}, "
        f"{more}{totals.reorder_bytes:,} bytes read and written"
    )
    if run.period:
        yield Text(f"The end repeats {count(run.period.events, 'event')} {run.period.times} times.")
    if compared := columns_if_any(run.trace):
        yield Text(printable(compared.text))
    for note in _remarks(run):
        yield Text(note, style="dim")
    yield section(
        count(len(run.findings), "finding"),
        Text("\n".join(map(_finding_text, run.findings)) or "none"),
    )
    table = columns("primitive", "events", "ms", "share", right=(1, 2, 3))
    for each in totals.implementations[:_MOST_ROWS]:
        share = f"{each.share:.0%}"
        table.add_row(printable(each.name), f"{each.events:,}", f"{each.ms:.4g}", share)
    yield section("time by implementation", table)
    if totals.layout_pairs:
        yield section("reorders (copy: an estimate at 10 GB/s)", _pairs(totals.layout_pairs))
    if run.skipped.lines:
        rows = [f"{s.line}: {s.reason}: {printable(s.text)}" for s in run.skipped.first]
        yield section(f"not read: {count(run.skipped.lines, 'line')}", Text("\n".join(rows)))


def _remarks(run: Run) -> Iterator[str]:
    totals = run.totals
    if totals.without_time and run.kind != "stridescope-trace":
        yield f"{count(totals.without_time, 'event')} without a time that is a number."
    if totals.zero_or_less:
        less = count(totals.zero_or_less, "event")
        yield f"{less} with a time of 0 or less: the clock is coarse."
    yield from map(printable, run.notes)


def _finding_text(found: Finding) -> str:
    head = f"{found.code} ({found.certainty}): {found.ms:.4g} ms, {found.bytes:,} bytes"
    unseen = f"\n    {found.unseen}" if found.unseen else ""
    return f"{head}\n    {printable(found.text)}{unseen}"


def _pairs(rows: tuple[LayoutPair, ...]) -> RenderableType:
    table = columns("from", "to", "times", "ms", "GB/s", "copy ms", right=(2, 3, 4, 5))
    for each in rows[:_MOST_ROWS]:
        speed = "-" if each.gb_per_s is None else f"{each.gb_per_s:.3g}"
        layouts = printable(each.source or "?"), printable(each.target or "?")
        times = f"{each.events:,}", f"{each.ms:.4g}", speed, f"{each.copy_ms:.3g}"
        table.add_row(*layouts, *times)
    return table
