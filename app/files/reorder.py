"""Reorders the tensors of a file: the source and target layouts, then the bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..engine.description.tensor import Tensor, parse_target
from ..engine.model.dtypes import ElementType
from ..engine.model.errors import LayoutError, phrase, refusal
from ..engine.notation import Written
from ..engine.reorder.execute import reordered
from ..engine.reorder.plan import Plan, plan
from .stored import Part, Stored, logical_shape, source_layout, stored_shape
from .tensor_file import TensorFile

Bytes = npt.NDArray[np.uint8]
_SLAB_BYTES: Final = 1 << 23  # copied at once


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

    def of(self, stored: Stored) -> Reordering:
        """Plan the reorder of one tensor. Errors: those of its layouts."""
        source = source_layout(self.source, stored, self.shape, self.dims)
        elements = source.buffer_elements
        buffer = Tensor(Written(source), stored.dtype, elements, self.source, source.shape)
        target = parse_target(self.target, buffer)
        return Reordering(stored, plan(source, target.layout), target)


@dataclass(frozen=True, slots=True)
class Reordering:
    """The reorder of one tensor. ``target``: the layout with the text it was written in."""

    stored: Stored
    plan: Plan
    target: Written

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of memory after the reorder, for the header."""
        return stored_shape(self.target)

    def run(
        self,
        source: Bytes,
        target: Bytes,
        threads: int | None = None,
        backend: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> str:
        """Reorder the bytes of ``source`` into ``target``; return the name of the backend.

        ``target``: zeros. The others are those of the engine's ``reorder``. Errors: LayoutError.
        """
        dtype = self.stored.dtype
        given, out = _elements(source, dtype), _elements(target, dtype)
        old, new = self.plan.source, self.plan.target
        moved = reordered(given, old, new, out, dtype, threads, backend, progress=progress)
        return moved.backend


@dataclass(frozen=True, slots=True)
class FileJob:
    """The reorder of a file.

    ``file``: with the parts to keep, in the order of their bytes. ``tasks``: of those to reorder,
    by name; the others are copied. ``head``: of the file to write. ``made``: its parts.
    """

    file: TensorFile
    tasks: Mapping[str | None, Reordering]
    head: bytes
    made: tuple[Part, ...]

    @classmethod
    def of(cls, file: TensorFile, tasks: Iterable[Reordering]) -> FileJob:
        """The job of these reorders of a file's tensors."""
        named = {task.stored.name: task for task in tasks}
        head, made = file.reshaped({name: task.shape for name, task in named.items()})
        return cls(file, named, head, made)

    @property
    def begin(self) -> int:
        """The first byte of the file that is kept."""
        return self.file.parts[0].begin

    @property
    def source_bytes(self) -> int:
        """Bytes of the file from ``begin`` that are kept."""
        last = self.file.parts[-1]
        return last.begin + last.size_bytes - self.begin

    @property
    def made_bytes(self) -> int:
        """Bytes of the file to write, after its head."""
        return sum(part.size_bytes for part in self.made)

    @property
    def size_bytes(self) -> int:
        return len(self.head) + self.made_bytes

    def run(
        self,
        source: Bytes,
        target: Bytes,
        *,
        threads: int | None,
        progress: Callable[[int], None],
        backend: str | None = None,
    ) -> dict[str | None, str]:
        """Reorder the bytes from ``begin`` into what follows the new head; return the backends.

        ``target``: zeros. ``progress``: called with the bytes written since the last call; it may
        raise. Errors: LayoutError.
        """
        used = {}
        for part, made in zip(self.file.parts, self.made, strict=True):
            taken = source[part.begin - self.begin :][: part.size_bytes]
            written = target[made.begin - len(self.head) :][: made.size_bytes]
            task = self.tasks.get(part.name)
            if task is not None:
                used[part.name] = task.run(taken, written, threads, backend, progress)
                continue
            for start in range(0, len(taken), _SLAB_BYTES):
                slab = taken[start : start + _SLAB_BYTES]
                written[start : start + _SLAB_BYTES] = slab
                progress(len(slab))
        return used


def chosen(file: TensorFile, asked: Conversion, name: str | None) -> list[Stored]:
    """Return the tensor of this name; without one the only tensor, or all whose rank fits.

    Errors: LayoutError naming ``tensor``, or ``shape`` if sizes are given for several tensors;
    those of the source layout.
    """
    if name is not None and file.kind != "safetensors":
        raise LayoutError("tensor", name, phrase("file.one_tensor"))
    if name is not None or len(file.parts) == 1:
        return [file.choose(name)]
    if asked.shape is not None:
        raise LayoutError("shape", asked.shape, phrase("tensor.sizes"))
    found = [each for each in file.parts if isinstance(each, Stored) and _fits(each, asked)]
    if not found:
        got = f"{len(file.parts)} tensors, none of a rank that fits the source layout"
        raise refusal("tensor", got, "tensor.of_rank")
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
