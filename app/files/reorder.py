"""Reorders the tensors of a file: the source and target layouts, then the bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np
import numpy.typing as npt

from ..engine.description.tensor import Tensor, parse_target
from ..engine.model.dtypes import ElementType
from ..engine.model.errors import Described, LayoutError, Phrase
from ..engine.model.layout import Layout
from ..engine.notation import Written
from ..engine.reorder import Plan, plan, reordered
from ..engine.reorder.execute import Options
from .stored import Stored, logical_shape, source_layout, stored_shape
from .tensor_file import TensorFile

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Conversion:
    """A reorder from ``source`` to ``target``, layouts in any notation.

    ``shape``: the logical sizes, None to compute them from the file. ``dims``: one letter per
    dimension.
    """

    source: str
    target: str
    shape: tuple[int, ...] | None = None
    dims: str | None = None

    def source_of(self, stored: Stored) -> Layout:
        """Return the layout in the file. Errors: LayoutError naming shape, layout or dims."""
        return source_layout(self.source, stored, self.shape, self.dims)

    def target_of(self, source: Layout, dtype: ElementType) -> Written:
        """Return the layout to reorder ``source`` to. Errors: LayoutError naming target."""
        buffer = Tensor(Written(source), dtype, source.buffer_elements, self.source, source.shape)
        return parse_target(self.target, buffer)


@dataclass(frozen=True, slots=True)
class Reordering:
    """The reorder of one tensor. ``target``: the layout with the text it was written in."""

    stored: Stored
    plan: Plan
    target: Written

    @classmethod
    def of(cls, stored: Stored, source: Layout, target: Written) -> Reordering:
        """Plan the reorder from ``source`` to ``target``. Errors: LayoutError naming target."""
        return cls(stored, plan(source, target.layout), target)

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of memory after the reorder, for the header."""
        return stored_shape(self.target)

    def run(self, source: Bytes, target: Bytes, **options: Unpack[Options]) -> str:
        """Reorder the bytes of ``source`` into ``target``; return the name of the backend.

        ``target``: zeros. ``options``: those of the engine's ``reorder``. Errors: LayoutError.
        """
        dtype = self.stored.dtype
        given: Options = {**options, "out": _elements(target, dtype), "dtype": dtype}
        layouts = self.plan.source, self.plan.target
        return reordered(_elements(source, dtype), *layouts, **given).backend


def fitting(file: TensorFile, asked: Conversion) -> list[Stored]:
    """Return the tensors of a file whose rank fits the source layout.

    Errors: LayoutError naming ``shape`` if sizes are given, ``tensor`` if there is none; those of
    the layout.
    """
    if asked.shape is not None:
        said = "no sizes, or the name of the tensor that has them"
        raise LayoutError("shape", asked.shape, Phrase("tensor.sizes", said))
    found = [each for each in file.parts if isinstance(each, Stored) and _fits(each, asked)]
    if not found:
        got = Described(f"{len(file.parts)} tensors, none of a rank that fits the source layout")
        said = "the name of one, with its sizes, or another layout"
        raise LayoutError("tensor", got, Phrase("tensor.of_rank", said))
    return found


def _fits(stored: Stored, asked: Conversion) -> bool:
    try:
        logical_shape(asked.source, stored, asked.dims)
    except LayoutError as error:
        if error.field != "shape":
            raise
        return False
    return True


def _elements(content: Bytes, dtype: ElementType) -> npt.NDArray[np.unsignedinteger]:
    """View elements as unsigned integers of their size; 4-bit elements stay packed bytes."""
    return content if dtype.itemsize is None else content.view(dtype.stored())
