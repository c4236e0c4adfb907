"""Networks from ``.pt2`` files, which ``torch.export.save`` writes; needs PyTorch."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..engine.model.dtypes import find_dtype
from ..engine.model.errors import phrase, refusal
from ..engine.model.layout import Layout
from ..engine.network import Graph, GraphTensor, NodeSource
from ..engine.network.aten import node_of
from .onnx import MissingLibraryError


def read_exported(path: Path) -> Graph:
    """The graph of an exported program.

    Operators that the catalogue cannot carry are kept by their ATen name, with the shapes that
    PyTorch found. Errors: LayoutError naming ``source``; OSError; MissingLibraryError.
    """
    try:
        import torch  # noqa: PLC0415  # not a dependency: who has .pt2 files has it
    except ImportError:
        raise MissingLibraryError(phrase("library.torch")) from None
    if not path.exists():
        raise FileNotFoundError(2, "No such file or directory", str(path))
    try:
        program = torch.export.load(path)
    except Exception as error:  # whatever the library raises for a broken archive
        got = "a file that torch.export.load does not read"
        raise refusal("source", got, "file.exported") from error
    return _graph_of(program)


def _graph_of(program: Any) -> Graph:
    signature = program.graph_signature
    weights = {
        *signature.inputs_to_parameters,
        *signature.inputs_to_buffers,
        *signature.inputs_to_lifted_tensor_constants,
    }
    tensors: dict[str, GraphTensor] = {}
    names: dict[Any, str] = {}
    sources: list[NodeSource] = []
    opaque: list[NodeSource] = []
    outputs: list[str] = []
    for node in program.graph.nodes:
        value = node.meta.get("val")
        if node.op == "placeholder" and hasattr(value, "stride"):
            tensors[node.name], names[node] = _tensor(value), node.name
        elif node.op == "call_function" and getattr(node.target, "__name__", "") == "getitem":
            source, at = node.args
            names[node] = f"{source.name}.{at}"
        elif node.op == "call_function" and (plain := _called(node, value, names)):
            names[node] = plain.outputs[0]
            mapped = _mapped(node, plain.outputs, names)
            whole = mapped is not None and len(mapped.outputs) == len(plain.outputs)
            opaque.append(plain)
            sources.append(mapped if mapped and whole else plain)
        elif node.op == "output":
            outputs = [names[each] for each in node.all_input_nodes]
    # A node that the catalogue refuses, or gives other shapes, becomes opaque.
    return Graph.of(
        inputs={k: v for k, v in tensors.items() if k not in weights},
        constants={k: v for k, v in tensors.items() if k in weights},
        nodes=sources,
        outputs=list(dict.fromkeys(outputs)),
        spare=opaque,
    )


def _tensor(value: Any) -> GraphTensor:
    dtype = find_dtype(str(value.dtype))
    if dtype is None:
        raise refusal("source", f"the element type {value.dtype}", "tensors.real")
    return GraphTensor(Layout.strided(_sizes(value.shape), _sizes(value.stride())), dtype)


def _called(node: Any, value: Any, names: Mapping[Any, str]) -> NodeSource | None:
    """The node by its ATen name, with the shapes that PyTorch found; None if it has no tensor."""
    several = isinstance(value, (list, tuple))
    values = [each for each in (value if several else [value]) if hasattr(each, "stride")]
    if not values:
        return None
    outputs = [f"{node.name}.{i}" for i in range(len(values))] if several else [node.name]
    told: dict[str, Any] = {"output_shapes": [list(_sizes(each.shape)) for each in values]}
    dtypes = [find_dtype(str(each.dtype)) for each in values]
    if all(dtypes):
        told["output_dtypes"] = [each.name for each in dtypes if each is not None]
    operands = [names[each] for each in node.all_input_nodes if each in names]
    return NodeSource(f"aten:{_name(node)}", operands, outputs, told, node.name)


def _mapped(node: Any, outputs: Sequence[str], names: Mapping[Any, str]) -> NodeSource | None:
    """The node in the catalogue's words; None if the catalogue does not have it."""
    if not hasattr(node.target, "_schema"):
        return None
    arguments = [argument.name for argument in node.target._schema.arguments]
    given = dict(zip(arguments, node.args, strict=False)) | dict(node.kwargs)

    def tensor_name(value: Any) -> str | None:
        return names.get(value) if hasattr(value, "all_input_nodes") else None

    return node_of(_name(node), given, outputs, node.name, tensor_name)


def _name(node: Any) -> str:
    """``conv2d`` for ``aten::conv2d``."""
    schema = getattr(node.target, "_schema", None)
    return str(node.target if schema is None else schema.name).rpartition(":")[2].removesuffix("_")


def _sizes(values: Sequence[Any]) -> tuple[int, ...]:
    """Sizes as integers; those that depend on the input are taken as their example's."""
    return tuple(int(each.node.hint if hasattr(each, "node") else each) for each in values)
