"""Reorder the tensors of a file: from which layout to which, then the bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np
import numpy.typing as npt

from ..engine.description.tensor import Tensor, parse_target
from ..engine.dtypes import ElementType
from ..engine.layout import Layout
from ..engine.notation import Written
from ..engine.reorders import Plan, plan, reordered
from ..engine.reorders.execute import Options
from .stored import Stored, source_layout, stored_shape

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Conversion:
    """From ``source`` to ``target``, layouts in any notation.

    ``shape``: the logical sizes, None to read them off the file. ``dims``: one letter for each.
    """

    source: str
    target: str
    shape: tuple[int, ...] | None = None
    dims: str | None = None

    def source_of(self, stored: Stored) -> Layout:
        """The layout of what is stored. Errors: LayoutError naming shape, layout or dims."""
        return source_layout(self.source, stored, self.shape, self.dims)

    def target_of(self, source: Layout, dtype: ElementType) -> Written:
        """The layout to reorder ``source`` to. Errors: LayoutError naming target."""
        buffer = Tensor(Written(source), dtype, source.buffer_elements, self.source, source.shape)
        return parse_target(self.target, buffer)


@dataclass(frozen=True, slots=True)
class Reordering:
    """What becomes of one tensor. ``target``: as it was written."""

    stored: Stored
    plan: Plan
    target: Written

    @classmethod
    def of(cls, stored: Stored, source: Layout, target: Written) -> Reordering:
        """From one layout to another. Errors: LayoutError naming target."""
        return cls(stored, plan(source, target.layout), target)

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of memory afterwards, for the header."""
        return stored_shape(self.target)

    def run(self, source: Bytes, target: Bytes, **options: Unpack[Options]) -> str:
        """Move the bytes of ``source`` into ``target``, which is zero; the backend that did it.

        ``options``: of the engine's ``reorder``. Errors: LayoutError.
        """
        dtype = self.stored.dtype
        given: Options = {**options, "out": _elements(target, dtype), "dtype": dtype}
        layouts = self.plan.source, self.plan.target
        return reordered(_elements(source, dtype), *layouts, **given).backend


def _elements(content: Bytes, dtype: ElementType) -> npt.NDArray[np.unsignedinteger]:
    """Elements as unsigned integers of their size; int4 stays packed bytes."""
    return content if dtype.itemsize is None else content.view(f"u{dtype.itemsize}")
