"""Reorders files: selects the tensors, plans each one, then writes the bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import RenderableType
from rich.filesize import decimal

from ..contract.answers import planned_answer
from ..engine.description.description import describe
from ..engine.model.errors import LayoutError, Phrase
from ..files.reorder import Bytes, Conversion, Reordering, fitting
from ..files.stored import Part, Stored
from ..files.tensor_file import TensorFile
from . import tables
from .progress import Advance
from .refusals import printable, typed
from .tensor_files import MappedFile
from .whole_file import written

Backends = dict[str | None, str]

_SLAB_BYTES = 1 << 23


@dataclass(frozen=True, slots=True)
class FileJob:
    """One file to write. ``tasks``: by tensor, in the order of the parts; others are copied."""

    file: MappedFile
    tasks: dict[str | None, Reordering]
    header: bytes
    parts: tuple[Part, ...]

    @property
    def size_bytes(self) -> int:
        """Bytes of the file to write."""
        return len(self.header) + sum(part.size_bytes for part in self.parts)

    def run(
        self, target: str, *, threads: int | None, backend: str | None, advance: Advance
    ) -> Backends:
        """Write ``target``, a name or STREAM.

        ``advance`` is called with the bytes written since the last call. Returns the backend used
        for each reordered tensor. Needs memory for a few tiles, for files of any size.
        Errors: LayoutError, OSError.
        """
        used: Backends = {}
        with written(target, self.size_bytes) as content:
            content[: len(self.header)] = np.frombuffer(self.header, dtype=np.uint8)
            for part, made in zip(self.file.said.parts, self.parts, strict=True):
                source = self.file.bytes_of(part)
                out = content[made.begin : made.begin + made.size_bytes]
                task = self.tasks.get(part.name)
                if task is None:
                    _copy(source, out, advance)
                    continue
                used[part.name] = task.run(
                    source, out, threads=threads, backend=backend, progress=advance
                )
        return used

    def answer(self, used: Backends) -> Mapping[str, Any]:
        """The API's answer without values; for a .safetensors file, one per tensor."""
        told = {
            name: planned_answer(task.plan, task.target, task.stored.dtype, backend=used[name])
            for name, task in self.tasks.items()
        }
        if self.file.said.kind != "safetensors":
            return told[None]
        return {
            "tensors": [{"name": name, **answer} for name, answer in told.items()],
            "unchanged": [part.name for part in self.parts if part.name not in self.tasks],
        }


def planned(file: MappedFile, asked: Conversion, names: Sequence[str]) -> FileJob:
    """The job for a file: the named tensors are reordered.

    Without names, every tensor whose rank fits the source layout; there must be at least one.
    Errors: LayoutError naming tensor, shape, layout, target or dims.
    """
    with typed({"layout": asked.source, "target": asked.target, "dims": asked.dims or ""}):
        chosen = _chosen(file.said, asked, names)
        if asked.shape is not None and len(chosen) != 1:
            said = "--tensor with --shape: the sizes are those of one tensor"
            raise LayoutError("shape", asked.shape, Phrase("tensor.with_shape", said))
        tasks = {s.name: _task(s, asked) for s in sorted(chosen, key=lambda s: s.begin)}
    header, parts = file.said.reshaped({name: task.shape for name, task in tasks.items()})
    return FileJob(file, tasks, header, parts)


def report(job: FileJob, target: str, used: Backends, seconds: float) -> Iterator[RenderableType]:
    """A report on ``target``: the plan if there is one tensor, a table if there are several."""
    done = list(job.tasks.values())
    said = f"{len(done)} tensors reordered"
    if len(done) == 1:
        plan, dtype = done[0].plan, done[0].stored.dtype
        yield tables.headline(describe(plan.source, dtype))
        yield tables.headline(describe(done[0].target, dtype))
        yield str(plan)
        said = f"{done[0].shape} {dtype.name}"
    else:
        table = tables.columns("tensor", "dtype", "logical", "memory", "kernel")
        for task in done:
            stored, shapes = task.stored, (str(task.plan.source.shape), str(task.shape))
            name = printable(stored.name or "")
            table.add_row(name, stored.dtype.name, *shapes, task.plan.kernel)
        yield table
    copied = len(job.parts) - len(done)
    also = f", {tables.count(copied, 'tensor')} copied unchanged" if copied else ""
    by = " and ".join(sorted(set(used.values())))
    yield f"{target}: {said}{also}; {decimal(job.size_bytes)} in {seconds:.2g} s by {by}"


def _chosen(file: TensorFile, asked: Conversion, names: Sequence[str]) -> list[Stored]:
    if names and file.kind != "safetensors":
        expected = Phrase("tensor.without_name", "no --tensor: the file holds one, without a name")
        raise LayoutError("tensor", names[0], expected)
    if names or len(file.parts) == 1:
        return [_named(file, name) for name in dict.fromkeys(names or (None,))]
    return fitting(file, asked)


def _named(file: TensorFile, name: str | None) -> Stored:
    try:
        return file.choose(name)
    except LayoutError as error:
        is_there = name in {part.name for part in file.parts}
        raise (error.under(f"tensor {name}") if is_there else error) from None


def _task(stored: Stored, asked: Conversion) -> Reordering:
    try:
        source = asked.source_of(stored)
        return Reordering.of(stored, source, asked.target_of(source, stored.dtype))
    except LayoutError as error:
        # A position refers to the typed text, which is the same for all tensors.
        if stored.name is None or error.position is not None:
            raise
        raise error.under(f"tensor {stored.name}: {error.field}") from None


def _copy(source: Bytes, out: Bytes, advance: Advance) -> None:
    for start in range(0, len(source), _SLAB_BYTES):
        slab = source[start : start + _SLAB_BYTES]
        out[start : start + _SLAB_BYTES] = slab
        advance(len(slab))
