"""``stridescope.trace`` and what it gives: a run, which can be shown, saved and compared."""

import runpy
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import Any, Final

from ..engine.model.errors import phrase
from ..engine.network.propagation import bytes_text
from ..engine.runs.copies import Copy, copies_of, lost_of
from ..engine.runs.finding import Finding
from ..engine.runs.report import Run, Totals, run_of_trace
from ..engine.runs.trace_network import Columns, TraceGraph, columns_if_any, columns_of, graph_of
from ..engine.runs.traces import Trace, TraceEvent, loaded, saved, with_inner
from ..files.onnx import MissingLibraryError
from .capture import Capture, captured
from .recorder import REGION, Recorder, mode_of

_ROWS: Final = 12
_WIDTH, _HEIGHT = 720, 36
_BUSY = "oneDNN's lines are not in this trace. "
_OTHERS = "{} lines of oneDNN stand outside any operator: other threads printed them."
_THREADS = (
    "Other threads ran: what oneDNN printed for them during an operator is taken for its own."
)


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


class TracedRun:
    """What a program did under ``trace``; empty until the block has ended.

    ``events``: every operator. ``copies``: elements written in another order. ``lost``: events that
    gave up channels_last. ``findings``, ``totals``: as those of ``read_run``.

    >>> from stridescope import TracedRun
    >>> TracedRun().events  # what the block of ``trace`` gives before it ends
    ()
    """

    def __init__(self, trace: Trace | None = None) -> None:
        self._trace = trace or Trace(())

    @property
    def events(self) -> tuple[TraceEvent, ...]:
        """Every operator that ran, in order."""
        return self._trace.events

    @property
    def notes(self) -> tuple[str, ...]:
        """What the trace could not see."""
        return self._trace.notes

    @cached_property
    def copies(self) -> list[Copy]:
        """Events that wrote elements in another order, and the reorders of oneDNN below events."""
        return copies_of(self.events)

    @cached_property
    def lost(self) -> list[TraceEvent]:
        """Events that turned channels_last operands into another order."""
        return lost_of(self.events)

    @cached_property
    def run(self) -> Run:
        """The same as ``read_run`` gives for the saved file."""
        return run_of_trace(self._trace)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What costs time, where, and what to do."""
        return self.run.findings

    @property
    def totals(self) -> Totals:
        """Sums over all events."""
        return self.run.totals

    def graph(self) -> dict[str, Any]:
        """The network of the forward pass, as ``propagate`` and ``plan_network`` take it."""
        return self._network.graph.json

    @cached_property
    def _network(self) -> TraceGraph:
        return graph_of(self._trace)

    @cached_property
    def columns(self) -> Columns:
        """Measured, by PyTorch's rules, and the least that a plan or the rules find."""
        return columns_of(self._trace, self._network)

    def __repr__(self) -> str:
        """Totals and findings as text."""
        return text_of(self.run)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """For notebooks: the findings, the time line and the table as HTML, and the text."""
        return {"text/plain": repr(self), "text/html": html_of(self.run, self._trace)}

    def save(self, path: str | Path) -> None:
        """Write the trace as JSON; ``load_run`` and ``stridescope run`` read it."""
        Path(path).write_text(saved(self._trace), "utf-8")


def load_run(path: str | Path) -> TracedRun:
    """The run of a file that ``save`` wrote. It needs no PyTorch.

    Errors: LayoutError naming ``log`` for a file of another kind; OSError.

    >>> import os, tempfile
    >>> from stridescope import TracedRun, load_run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     TracedRun().save(os.path.join(folder, "run.json"))
    ...     load_run(os.path.join(folder, "run.json")).totals.events
    0
    """
    return TracedRun(loaded(Path(path).read_bytes().decode("utf-8", "replace")))


@contextmanager
def trace(*, time: bool = False, onednn: bool | None = None) -> Iterator[TracedRun]:
    """Record what PyTorch does in the block, in this thread: eager, forward and backward.

    ``time``: measure each operator, which waits for a GPU. ``onednn``: catch oneDNN's verbose
    lines, which takes over standard output in the block; by default where it can be done. Shapes,
    strides, offsets and storages are recorded; tensors are neither kept nor copied. Compiled
    functions stay compiled and are one event each, if ``torch.compile`` was used before the block.

    Errors: MissingLibraryError without PyTorch; LayoutError naming ``onednn``, where it is wanted
    and cannot be had.

    >>> import stridescope
    >>> with stridescope.trace() as run:  # doctest: +SKIP
    ...     model(x)  # conformance/traces_suite.py traces PyTorch, which is not installed here
    """
    try:
        import torch  # noqa: PLC0415  # optional, and it takes seconds
        import torch.multiprocessing.reductions  # noqa: PLC0415  # as above
    except ImportError:
        raise MissingLibraryError(phrase("library.torch_trace")) from None
    run = TracedRun()
    threads = threading.active_count()
    with captured(torch, wanted=onednn) as (capture, reason):
        recorder = Recorder(torch, capture, timed=time)
        try:
            with ExitStack() as stack:
                stack.enter_context(_regions(recorder))
                stack.enter_context(mode_of(torch, recorder))
                yield run
        finally:
            if capture:
                capture.restore()
            threads = max(threads, threading.active_count())
            recorder.close()
            run._trace = _recorded(torch, recorder, capture, reason, threads)


def _recorded(
    torch: Any, recorder: Recorder, capture: Capture | None, reason: str, threads: int
) -> Trace:
    logs = dict(recorder.logs())
    notes = [_BUSY + reason] if reason else []
    versions = [f"PyTorch {torch.__version__}"]
    if capture:
        outside = capture.outside(recorder.ranges())
        notes += [_OTHERS.format(outside)] if outside else []
        notes += [_THREADS] if threads > 1 else []
        versions += capture.versions
    events = tuple(with_inner(recorder.events(), logs))
    return Trace(events, tuple(versions), tuple(notes), logs)


@contextmanager
def _regions(recorder: Recorder) -> Iterator[None]:
    """Record calls of inductor's compiled graphs, each as one event.

    Only where something was compiled before, as inductor takes seconds to import.
    """
    if "torch._dynamo" not in sys.modules:
        yield
        return
    from torch._inductor.output_code import CompiledFxGraph  # noqa: PLC0415  # as said above

    inner: Callable[..., Any] = CompiledFxGraph.__call__

    def call(self: Any, inputs: Any) -> Any:
        if threading.get_ident() != recorder.thread:
            return inner(self, inputs)
        return recorder.call(partial(inner, self), REGION, (inputs,), {})

    CompiledFxGraph.__call__ = call
    try:
        yield
    finally:
        CompiledFxGraph.__call__ = inner


def traced_script(script: str, arguments: Sequence[str], save: Path | None) -> int:
    """Run the script, print the findings to the error output, return the script's exit status.

    Errors: OSError where there is no such file; MissingLibraryError without PyTorch.
    """
    Path(script).open("rb").close()
    argv, path = sys.argv, sys.path[0]
    sys.argv, sys.path[0] = [script, *arguments], str(Path(script).resolve().parent)
    status = 0
    try:
        with trace() as run:
            try:
                runpy.run_path(script, run_name="__main__")
            except SystemExit as ended:
                status = _status(ended.code)
            except Exception:  # as the interpreter does: print it, status 1
                traceback.print_exc()
                status = 1
    finally:
        sys.argv, sys.path[0] = argv, path
    if save is not None:
        run.save(save)
    sys.stdout.flush()
    sys.stderr.write(f"\n{run!r}\n")
    return status


def _status(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    sys.stderr.write(f"{code}\n")
    return 1
