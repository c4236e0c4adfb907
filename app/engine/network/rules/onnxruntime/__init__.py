"""ONNX Runtime 1.31 on the CPU: which nodes run on blocked channels, and the reorders.

ORT rewrites a network in three levels before it runs it, and the rules here do the same in the same
order, each level until nothing changes, at most ten times (``session_options.h``,
``max_num_graph_transformation_steps``): level 1 simplifies (``simplify``,
``transposes``), level 2 fuses activations, level 3 blocks (``blocking``).
Source: onnxruntime/core/optimizer/graph_transformer_utils.cc.
"""

from collections.abc import Callable, Mapping
from functools import partial

from ...attributes import Value, block_sizes
from ...graph import Graph
from ...propagation import Propagation
from ..base import RuleSet
from .blocking import block_channels
from .regions import Regions, remove_casts
from .report import report
from .simplify import (
    conv_activation,
    fold_constants,
    merge_equal,
    quick_gelu,
    rewrite,
    share_constants,
    write_out_hard_swish,
)
from .translate import read
from .transposes import push_transposes
from .working import Working

_STEPS = 10
_LEVEL_1 = (
    rewrite,
    share_constants,
    merge_equal,
    fold_constants,
    partial(push_transposes, assigned=False),
)
_LEVEL_2 = (partial(push_transposes, assigned=True), conv_activation, quick_gelu)


def optimized(graph: Graph, block: int = 16) -> tuple[Working, Regions]:
    """ORT's graph after all levels, and what runs blocked."""
    working = read(graph)
    _repeated(working, *_LEVEL_1)
    write_out_hard_swish(working)
    _repeated(working, *_LEVEL_2)
    regions = block_channels(working, block)
    remove_casts(regions)
    return working, regions


def _repeated(working: Working, *passes: Callable[[Working], bool]) -> None:
    for _ in range(_STEPS):
        changed = [each(working) for each in passes]
        if not any(changed):
            break


def _carry(graph: Graph, options: Mapping[str, Value]) -> Propagation:
    working, regions = optimized(graph, options["block"])
    return report(graph, working, regions, ONNXRUNTIME_CPU.name)


ONNXRUNTIME_CPU = RuleSet(
    "onnxruntime-cpu",
    "ONNX Runtime 1.31, on the CPU",
    "onnxruntime/core/optimizer/nchwc_transformer.cc of microsoft/onnxruntime",
    "letters",
    _carry,
    {"block": block_sizes({16: "AVX-512, NEON", 8: "x86-64 up to AVX2"})},
)
