"""The functions of ``import stridescope`` that take the same arguments as the HTTP API.

The other public functions are in the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from ..engine.description import description
from ..engine.description.description import Description
from ..engine.description.tensor import parse_tensor
from ..engine.model.dtypes import DEFAULT, ElementType, parse_dtype
from ..engine.model.errors import LayoutError, phrase
from ..engine.model.layout import Layout
from ..engine.notation import LayoutSource

if TYPE_CHECKING:
    from pydantic import BaseModel

Request = TypeVar("Request", bound="BaseModel")


@overload
def describe(
    layout: Layout, *, dtype: str | ElementType = DEFAULT, elements: int | None = None
) -> Description: ...


@overload
def describe(
    layout: LayoutSource,
    shape: Sequence[int],
    dims: str | None = None,
    dtype: str | ElementType = DEFAULT,
    *,
    elements: int | None = None,
) -> Description: ...


def describe(
    layout: Layout | LayoutSource,
    shape: Sequence[int] | None = None,
    dims: str | None = None,
    dtype: str | ElementType = DEFAULT,
    *,
    elements: int | None = None,
) -> Description:
    """Strides, sizes, properties, names and notations of a layout: the answer of ``/describe``.

    ``layout``: a Layout; or any notation, with ``shape`` and optionally ``dims`` as for
    ``parse_layout``. ``dtype``: the element type, needed for sizes in bytes. ``elements``: the
    size of the buffer, if it is larger than the layout needs. Strides and offsets are in elements
    unless their name contains "byte". Errors: LayoutError naming the argument.

    >>> from stridescope import describe
    >>> found = describe("NCHW4", (2, 6, 3, 3), dtype="float16")
    >>> found.padded_shape, found.physical_shape, found.buffer.bytes
    ((2, 8, 3, 3), (2, 2, 3, 3, 4), 288)
    >>> found.notations["onednn"]
    {'text': 'aBcd4b'}
    """
    element = dtype if isinstance(dtype, ElementType) else parse_dtype(dtype)
    if not isinstance(layout, Layout):
        if shape is None:
            raise LayoutError("shape", None, phrase("shape.with_notation"))
        return parse_tensor(shape, layout, dims, element, elements).describe()
    for name, value in (("shape", shape), ("dims", dims)):
        if value is not None:
            raise LayoutError(name, value, phrase("layout.own_value", name=name))
    return description.describe(layout, element, buffer_elements=elements)


def view(layout: Layout, steps: Sequence[Mapping[str, object]]) -> Layout:
    """Return the layout after view ``steps``, over the same buffer: the steps of ``/view``.

    Each step is a mapping with ``op`` and its parameters, in elements, as documented for
    ``POST /view``. Errors: LayoutError naming the step, also if the step needs a copy.

    >>> from stridescope import parse_layout, view
    >>> nchw = parse_layout("NCHW", (2, 6, 3, 3))
    >>> part = view(nchw, [{"op": "permute", "dims": [0, 2, 3, 1]},
    ...                    {"op": "narrow", "dim": 3, "start": 2, "length": 4}])
    >>> part.shape, part.strides, part.offset
    ((2, 3, 3, 4), (54, 3, 1, 9), 18)
    """
    from .steps import parse_steps, viewed  # noqa: PLC0415  # takes 0.1 s

    return viewed(layout, parse_steps(_plain(steps)))


def propagate(
    graph: Mapping[str, object], rules: str, options: Mapping[str, object] | None = None
) -> Mapping[str, Any]:
    """Return the layout of every tensor of a network by the rules of a real system.

    ``graph``: as ``POST /propagate`` takes it. ``rules``: the system, such as "pytorch-eager".
    ``options``: of the rules, such as ``{"block": 16}``. Returns the answer of the call: tensors,
    reorders, the reason at each node, ``bytes`` that reorders of activations read and write at each
    run, ``prepared_bytes`` once for weights, ``advice``. Errors: LayoutError naming the field.

    >>> from stridescope import propagate
    >>> found = propagate(
    ...     {"inputs": {"x": {"shape": [1, 8, 6, 6], "layout": "NHWC"}},
    ...      "nodes": [{"op": "relu", "inputs": ["x"], "outputs": ["y"]}]},
    ...     "pytorch-eager")
    >>> found["tensors"]["y"]["strides"]
    (288, 1, 48, 8)
    """
    from .networks import PropagateRequest, answer_propagate  # noqa: PLC0415  # takes 0.1 s

    asked = {"graph": graph, "rules": rules, "options": dict(options or {})}
    return answer_propagate(_read(PropagateRequest, asked))


def plan_network(graph: Mapping[str, object], **options: object) -> Mapping[str, Any]:
    """Return the layouts of a network at the least cost, with the proof.

    ``graph``: as ``POST /plan`` takes it. ``options``: its other fields, ``choices``, ``outputs``,
    ``time_limit_s``, and ``rules`` with their ``options``, whose machine it is for. Returns the
    answer of the call: the layouts in which each tensor is held, the way of each node, reorders,
    ``cost`` and ``bound`` in bytes, baselines. Errors: LayoutError naming the field.

    >>> from stridescope import plan_network
    >>> found = plan_network(
    ...     {"inputs": {"x": {"shape": [1, 8, 6, 6], "layout": "NCHW"}},
    ...      "nodes": [{"op": "relu", "inputs": ["x"], "outputs": ["y"]}]})
    >>> found["cost"], found["optimal"]
    (0, True)
    """
    from .plans import PlanRequest, answer_plan  # noqa: PLC0415  # takes 0.1 s

    return answer_plan(_read(PlanRequest, {"graph": graph, **options}))


def _plain(value: Any) -> Any:
    """``value``, with integers and arrays of NumPy in its lists and mappings as Python's own."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return list(map(_plain, value))
    return value.tolist() if isinstance(value, (np.integer, np.ndarray)) else value


def _read(model: type[Request], asked: Mapping[str, object]) -> Request:
    from pydantic import ValidationError  # noqa: PLC0415  # takes 0.1 s

    from .refusals import first_refusal  # noqa: PLC0415  # imports pydantic

    try:
        return model.model_validate(_plain(asked))
    except ValidationError as error:
        raise first_refusal(error) from None
