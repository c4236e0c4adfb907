"""The rule sets, named after the systems that they reproduce."""

from collections.abc import Mapping

from ...model.errors import Described, LayoutError, one_of
from ..attributes import Value
from ..graph import Graph
from ..propagation import Propagation
from .base import RuleSet
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


def find_rules(name: str) -> RuleSet:
    """The rule set of that name. Errors: LayoutError naming ``rules``."""
    found = RULE_SETS.get(name)
    if found is None:
        raise LayoutError("rules", Described("a name that no rule set has"), one_of(RULE_SETS))
    return found


def propagate(graph: Graph, rules: str, options: Mapping[str, Value] | None = None) -> Propagation:
    """Carry layouts through ``graph`` by the rule set of that name.

    Errors: LayoutError naming ``rules`` or ``options.<name>``.
    """
    return find_rules(rules).propagate(graph, options)
