"""Networks from ``.pt2`` files, which ``torch.export.save`` writes; needs PyTorch."""

from collections.abc import Sequence
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
    return _Reading(program).done()


class _Reading:
    def __init__(self, program: Any) -> None:
        self._program = program
        signature = program.graph_signature
        self._weights = {
            *signature.inputs_to_parameters,
            *signature.inputs_to_buffers,
            *signature.inputs_to_lifted_tensor_constants,
        }
        self._tensors: dict[str, GraphTensor] = {}
        self._names: dict[Any, str] = {}
        self._sources: list[NodeSource] = []
        self._opaque: list[NodeSource] = []

    def done(self) -> Graph:
        outputs: list[str] = []
        for node in self._program.graph.nodes:
            if node.op == "placeholder":
                self._placeholder(node)
            elif node.op == "call_function":
                self._call(node)
            elif node.op == "output":
                outputs = [self._names[each] for each in node.all_input_nodes]
        # A node that the catalogue refuses, or gives other shapes, becomes opaque.
        return Graph.of(
            inputs={k: v for k, v in self._tensors.items() if k not in self._weights},
            constants={k: v for k, v in self._tensors.items() if k in self._weights},
            nodes=self._sources,
            outputs=list(dict.fromkeys(outputs)),
            spare=self._opaque,
        )

    def _placeholder(self, node: Any) -> None:
        value = node.meta.get("val")
        if not hasattr(value, "stride"):
            return
        dtype = find_dtype(str(value.dtype))
        if dtype is None:
            raise refusal("source", f"the element type {value.dtype}", "tensors.real")
        layout = Layout.strided(_sizes(value.shape), _sizes(value.stride()))
        self._tensors[node.name] = GraphTensor(layout, dtype)
        self._names[node] = node.name

    def _call(self, node: Any) -> None:
        if getattr(node.target, "__name__", "") == "getitem":
            source, at = node.args
            self._names[node] = f"{source.name}.{at}"
            return
        value = node.meta.get("val")
        several = isinstance(value, (list, tuple))
        values = [each for each in (value if several else [value]) if hasattr(each, "stride")]
        if not values:
            return
        outputs = [f"{node.name}.{i}" for i in range(len(values))] if several else [node.name]
        self._names[node] = outputs[0]
        told: dict[str, Any] = {"output_shapes": [list(_sizes(each.shape)) for each in values]}
        dtypes = [find_dtype(str(each.dtype)) for each in values]
        if all(dtypes):
            told["output_dtypes"] = [each.name for each in dtypes if each is not None]
        operands = [self._names[each] for each in node.all_input_nodes if each in self._names]
        plain = NodeSource(f"aten:{_name(node)}", operands, outputs, told, node.name)
        self._opaque.append(plain)
        mapped = self._mapped(node, outputs)
        whole = mapped is not None and len(mapped.outputs) == len(outputs)
        self._sources.append(mapped if mapped and whole else plain)

    def _mapped(self, node: Any, outputs: list[str]) -> NodeSource | None:
        """The node in the catalogue's words; None if the catalogue does not have it."""
        if not hasattr(node.target, "_schema"):
            return None
        names = [argument.name for argument in node.target._schema.arguments]
        given = dict(zip(names, node.args, strict=False)) | dict(node.kwargs)

        def tensor_name(value: Any) -> str | None:
            is_node = hasattr(value, "all_input_nodes") and value in self._names
            return self._names[value] if is_node else None

        return node_of(_name(node), given, outputs, node.name, tensor_name)


def _name(node: Any) -> str:
    """``conv2d`` for ``aten::conv2d``."""
    schema = getattr(node.target, "_schema", None)
    return str(node.target if schema is None else schema.name).rpartition(":")[2].removesuffix("_")


def _sizes(values: Sequence[Any]) -> tuple[int, ...]:
    """Sizes as integers; those that depend on the input are taken as their example's."""
    return tuple(int(each.node.hint if hasattr(each, "node") else each) for each in values)
