"""Reads a text of unknown kind as a run."""

from collections.abc import Sequence

from ..model.errors import Described, LayoutError, Phrase
from .onednn_log import is_onednn_log, read_onednn_log
from .onnxruntime_profile import ModelNode, is_profile, read_profile
from .report import Run, RunKind, run_of, run_of_trace
from .traces import is_trace, loaded

_LOG = Phrase(
    "run.log",
    "lines of oneDNN's verbose mode, a profile of ONNX Runtime, or a trace that Stridescope saved",
)


def read_run(
    log: str, kind: RunKind | None = None, *, nodes: Sequence[ModelNode] | None = None
) -> Run:
    """The run that a log, a profile or a saved trace describes. ``kind``: recognised by default.

    ``nodes``: of the optimised model that was saved beside a profile. Errors: LayoutError naming
    ``log``.

    >>> from stridescope import read_run
    >>> run = read_run(
    ...     "dnnl_verbose,exec,cpu,reorder,jit:uni,undef,src_f32::blocked:abcd:f0 "
    ...     "dst_f32::blocked:aBcd16b:f0,,,2x48x21x12,0.0068"
    ... )
    >>> run.totals.reorders, run.totals.reorder_bytes
    (1, 193536)
    """
    found = kind or _recognised(log)
    if found == "stridescope-trace":
        return run_of_trace(loaded(log))
    if found == "onnxruntime-profile":
        return run_of(found, read_profile(log, nodes))
    return run_of(found, read_onednn_log(log))


def _recognised(log: str) -> RunKind:
    if is_trace(log):
        return "stridescope-trace"
    if is_profile(log):
        return "onnxruntime-profile"
    if is_onednn_log(log):
        return "onednn-verbose"
    raise LayoutError("log", Described("text of another kind" if log.strip() else "no text"), _LOG)
