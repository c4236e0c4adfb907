"""Reorders files: selects the tensors, plans each one, then writes the bytes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import RenderableType
from rich.filesize import decimal

from ..contract.answers import planned_answer
from ..engine.description.description import describe
from ..engine.model.dtypes import parse_dtype
from ..engine.model.errors import Described, LayoutError, Phrase
from ..files import tensor_file
from ..files.reorder import Bytes, Conversion, FileJob, Reordering, chosen
from ..files.stored import Stored
from ..files.tensor_file import Kind, TensorFile
from ..files.zarr.places import is_place
from . import tables
from .progress import Advance
from .refusals import printable, typed
from .whole_file import mapped, written

Backends = Mapping[str | None, str]
# Names that promise another kind of file, of those that this program or NumPy knows.
_SUFFIXES = {"npy", "npz", "safetensors", "zarr", "onnx", "pt2", "json"}


def run(
    job: FileJob,
    source: Bytes,
    target: str,
    *,
    threads: int | None,
    backend: str | None,
    advance: Advance,
) -> Backends:
    """Write ``target``, a name or STREAM, from the bytes of a file; return the backends by tensor.

    Needs memory for a few tiles, for files of any size. Errors: LayoutError, OSError.
    """
    head_bytes = len(job.head)
    with written(target, job.size_bytes) as content:
        content[:head_bytes] = np.frombuffer(job.head, dtype=np.uint8)
        kept, made = source[job.begin :], content[head_bytes:]
        return job.run(kept, made, threads=threads, backend=backend, progress=advance)


def answer(job: FileJob, used: Backends) -> Mapping[str, Any]:
    """The API's answer without values; for a .safetensors file, one per tensor."""
    told = {
        name: planned_answer(task.plan, task.target, task.stored.dtype, backend=used[name])
        for name, task in job.tasks.items()
    }
    if job.file.kind != "safetensors":
        return told[None]
    return {
        "tensors": [{"name": name, **answer} for name, answer in told.items()],
        "unchanged": [part.name for part in job.made if part.name not in job.tasks],
    }


def planned(file: TensorFile, asked: Conversion, names: Sequence[str]) -> FileJob:
    """The job for a file: the named tensors are reordered.

    Without names, every tensor whose rank fits the source layout; there must be at least one.
    Errors: LayoutError naming tensor, shape, layout, target or dims.
    """
    with typed({"layout": asked.source, "target": asked.target, "dims": asked.dims or ""}):
        wanted = dict.fromkeys(names or (None,))
        tensors = [each for name in wanted for each in _chosen(file, asked, name)]
        if asked.shape is not None and len(tensors) != 1:
            said = "--tensor with --shape: the sizes are those of one tensor"
            raise LayoutError("shape", asked.shape, Phrase("tensor.with_shape", said))
        tasks = [_task(each, asked) for each in sorted(tensors, key=lambda each: each.begin)]
    return FileJob.of(file, tasks)


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
    copied = len(job.made) - len(done)
    also = f", {tables.count(copied, 'tensor')} copied unchanged" if copied else ""
    by = " and ".join(sorted(set(used.values())))
    yield f"{target}: {said}{also}; {decimal(job.size_bytes)} in {seconds:.2g} s by {by}"


def _chosen(file: TensorFile, asked: Conversion, name: str | None) -> list[Stored]:
    try:
        return chosen(file, asked, name)
    except LayoutError as error:
        is_there = name is not None and name in {part.name for part in file.parts}
        raise (error.under(f"tensor {name}") if is_there else error) from None


def _task(stored: Stored, asked: Conversion) -> Reordering:
    try:
        return asked.of(stored)
    except LayoutError as error:
        # A position refers to the typed text, which is the same for all tensors.
        if stored.name is None or error.position is not None:
            raise
        raise error.under(f"tensor {stored.name}: {error.field}") from None


@dataclass(frozen=True, slots=True)
class MappedFile:
    """A file: the description from its header, and its bytes."""

    said: TensorFile
    content: Bytes


def opened(source: str, *, raw: bool, dtype: str | None) -> MappedFile:
    """Open a file with a header, or with ``raw`` a file that contains only elements of ``dtype``.

    ``source``: its name, or STREAM for what comes from standard input.

    Errors: LayoutError naming dtype, or the file and the wrong part of it; OSError.
    """
    if raw != (dtype is not None):
        expected = Phrase("dtype.with_raw", "--dtype and --raw together, or neither")
        raise LayoutError("dtype", dtype, expected)
    element = None if dtype is None else parse_dtype(dtype)
    content = mapped(source)
    try:
        if element is None:
            said = _read(content)
            expected = Phrase("file.size", "{size}, as its header says", size=said.size_bytes)
        else:
            said = tensor_file.raw(element, len(content) * 8 // element.bits)
            expected = Phrase("dtype.whole", "whole elements of {dtype}", dtype=element.name)
        if said.size_bytes != len(content):
            raise LayoutError("", Described(f"{len(content)} bytes"), expected)
    except LayoutError as error:
        raise error.under(": ".join(filter(None, (source, error.field)))) from None
    return MappedFile(said, content)


def _read(content: Bytes) -> TensorFile:
    prefix = content[: tensor_file.PREFIX_BYTES].tobytes()
    kind = tensor_file.recognised(prefix)
    if kind is None:
        said = "a .npy or .safetensors file, or --raw with --dtype and --shape"
        raise LayoutError("", Described("bytes that begin otherwise"), Phrase("file.kind", said))
    header = content[: tensor_file.header_size(kind, prefix)].tobytes()
    return tensor_file.read(kind, header)


def check_name(target: str, written: Kind) -> None:
    """Raise LayoutError if the name of a file belongs to another kind than ``written``."""
    suffix = "zarr" if is_place(target) else Path(target).suffix.lower().removeprefix(".")
    if suffix in _SUFFIXES - {written}:
        expected = Phrase("file.name", "a name for {kind}: the format stays", kind=written)
        raise LayoutError(target, Described(f"a name of {suffix}"), expected)
