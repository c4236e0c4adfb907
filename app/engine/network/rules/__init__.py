"""The rule sets, named after the systems that they reproduce."""

from collections.abc import Mapping

from ..attributes import Value
from ..graph import Graph
from ..propagation import Propagation
from .base import RuleSet, find_rules
from .megengine import MEGENGINE
from .onednn import ONEDNN
from .onnxruntime import ONNXRUNTIME_CPU
from .openvino_cpu import OPENVINO_CPU
from .pytorch_eager import PYTORCH_EAGER
from .pytorch_inductor import PYTORCH_INDUCTOR
from .tensorflow_grappler import TENSORFLOW_GRAPPLER
from .tvm_relax import TVM_RELAX

RULE_SETS: Mapping[str, RuleSet] = {
    each.name: each
    for each in (
        *(PYTORCH_EAGER, ONNXRUNTIME_CPU, ONEDNN, OPENVINO_CPU, PYTORCH_INDUCTOR),
        *(TENSORFLOW_GRAPPLER, TVM_RELAX, MEGENGINE),
    )
}


def propagate(graph: Graph, rules: str, options: Mapping[str, Value] | None = None) -> Propagation:
    """Carry layouts through ``graph`` by the rule set of that name.

    Errors: LayoutError naming ``rules`` or ``options.<name>``.
    """
    return find_rules(rules, RULE_SETS).propagate(graph, options)
