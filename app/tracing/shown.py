"""A traced run as text for a terminal, and as HTML with a time line for a notebook."""

from collections.abc import Iterator
from html import escape
from typing import Final

from ..engine.network.propagation import bytes_text
from ..engine.runs.finding import Finding
from ..engine.runs.report import Run
from ..engine.runs.trace_network import columns_if_any
from ..engine.runs.traces import Trace

_ROWS: Final = 12
_WIDTH, _HEIGHT = 720, 36


def text_of(run: Run) -> str:
    """Totals, columns, notes and findings, one a paragraph."""
    return "\n".join((*_head(run), *run.notes, *map(_paragraph, run.findings)))


def _head(run: Run) -> Iterator[str]:
    totals = run.totals
    events = f"{totals.events:,} events" if totals.events else "No events: the block has not ended"
    yield (
        f"{events}, {totals.ms:.4g} ms; {totals.reorders:,} copies into another order, "
        f"{totals.reorder_ms:.4g} ms, {bytes_text(totals.reorder_bytes)} read and written; "
        f"{len(run.findings)} finding{'s' * (len(run.findings) != 1)}"
    )
    columns = columns_if_any(run.trace)
    if columns and columns.measured:
        yield columns.text


def _paragraph(found: Finding) -> str:
    size = bytes_text(found.bytes)
    spent = f"{found.ms:.4g} ms" if found.ms else "not timed"
    return f"{found.code} ({found.certainty}), {spent}, {size}: {found.text}"


def html_of(run: Run, trace: Trace) -> str:
    """Findings as a list, the time line, and the table of what took most time."""
    rows = "".join(
        f"<tr><td>{escape(each.name)}</td><td>{each.events:,}</td><td>{each.ms:.4g}</td>"
        f"<td>{each.share:.0%}</td></tr>"
        for each in run.totals.implementations[:_ROWS]
    )
    listed = "".join(f"<li>{escape(_paragraph(each))}</li>" for each in run.findings)
    head, notes = (
        "".join(f"<p>{escape(each)}</p>" for each in texts) for texts in (_head(run), run.notes)
    )
    return (
        f"{head}{notes}<ul>{listed}</ul>{''.join(_time_line(trace))}"
        f"<table><tr><th>what</th><th>events</th><th>ms</th><th>share</th></tr>{rows}</table>"
    )


def _time_line(trace: Trace) -> Iterator[str]:
    """One bar for each operator with a time, hatched where oneDNN reordered below it."""
    total = sum(event.spent_ms for event in trace.events)
    if total <= 0:
        return
    yield (
        f'<svg width="100%" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="Time line of {total:.4g} ms" preserveAspectRatio="none">'
    )
    at = 0.0
    for event in trace.events:
        width = event.spent_ms / total * _WIDTH
        reorder = sum(e.ms or 0.0 for e in event.inner if e.primitive == "reorder")
        if width >= 0.25:
            moved = min(reorder / event.spent_ms, 1.0) * width
            title = escape(f"{event.op} {event.where}: {event.spent_ms:.4g} ms")
            yield (
                f"<g><title>{title}</title>"
                f'<rect x="{at:.2f}" y="4" width="{width:.2f}" height="28" fill="#0072b2" '
                f'stroke="#fff" stroke-width=".5"/>'
                f'<rect x="{at:.2f}" y="18" width="{moved:.2f}" height="14" fill="#e69f00"/></g>'
            )
        at += width
    yield "</svg><p>Blue: operators; orange below: the part that oneDNN spent on reorders.</p>"
