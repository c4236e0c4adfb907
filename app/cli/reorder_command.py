"""``stridescope reorder``: files here, arrays of zarr in tasks."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from rich.console import RenderableType
from rich.filesize import decimal
from typer import Argument, Option

from ..contract.answers import planned_answer
from ..engine.description.description import describe
from ..engine.model.dtypes import parse_dtype
from ..engine.model.errors import Described, LayoutError, phrase, refusal
from ..files import tensor_file
from ..files.reorder import Bytes, Conversion, FileJob, Reordering, chosen
from ..files.stored import Stored
from ..files.tensor_file import Kind, TensorFile
from ..files.zarr.places import is_place
from . import tables, zarr_arrays
from .arguments import AsJson, Dims, Threads, integers, not_beside, refuse, show
from .refusals import printable, typed
from .tables import BYTES, bar
from .whole_file import STREAM, interruptible, mapped, written
from .zarr_arrays import ArrayOptions

Backends = Mapping[str | None, str]
# Names that promise another kind of file, of those that this program or NumPy knows.
_SUFFIXES = {"npy", "npz", "safetensors", "zarr", "onnx", "pt2", "json"}


def reorder(
    source: Annotated[
        str,
        Argument(metavar="IN", help="A .npy or .safetensors file, - for input; or a .zarr array."),
    ],
    target: Annotated[
        str, Argument(metavar="OUT", help="What to write; a file may be IN, - is the output.")
    ],
    from_layout: Annotated[
        str,
        Option(
            "--from",
            help="Layout of IN's memory. Letters name the axes of an .npy as NumPy shows them, "
            "and its header says which lies innermost (fortran_order); strides are memory's.",
        ),
    ],
    to_layout: Annotated[str, Option("--to", help="Layout of OUT's memory.")],
    shape: Annotated[
        str | None, Option(help="Logical sizes, if the file does not contain them.")
    ] = None,
    dims: Dims = None,
    tensor: Annotated[
        list[str] | None, Option(help="A name in a .safetensors file; may be repeated.")
    ] = None,
    raw: Annotated[bool, Option("--raw", help="IN has elements but no header.")] = False,
    dtype: Annotated[str | None, Option("--dtype", "-t", help="Only with --raw.")] = None,
    threads: Threads = None,
    backend: Annotated[
        str | None, Option(help="numpy, numba or cupy; default: the fastest.")
    ] = None,
    physical: Annotated[
        bool, Option("--physical", help="OUT.zarr has an axis for each block.")
    ] = False,
    chunks: Annotated[str | None, Option(help="Chunk of OUT.zarr, a size per axis.")] = None,
    shards: Annotated[str | None, Option(help="Shard of OUT.zarr, a size per axis.")] = None,
    scheduler: Annotated[
        str | None, Option(help="A dask scheduler, such as tcp://host:8786.")
    ] = None,
    workers: Annotated[
        int | None, Option(min=1, help="Processes here, without --scheduler.")
    ] = None,
    memory: Annotated[
        str | None, Option(help="Of a worker, 512MB; default: its limit, or 2GiB.")
    ] = None,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Say what would be read and written, then stop.")
    ] = False,
    resume: Annotated[
        bool, Option("--resume", help="Continue an interrupted run to OUT.zarr.")
    ] = False,
    quiet: Annotated[bool, Option("--quiet", "-q", help="Print nothing, no bar.")] = False,
    as_json: AsJson = False,
) -> None:
    """Copy a file of tensors into another layout; padding is written as zeros.

    Without --tensor, every tensor whose rank fits --from is reordered. The other tensors, the
    names and the metadata stay the same. Files may be larger than memory. OUT appears only when it
    is complete.

    An array of zarr v3, a folder x.zarr or a URL s3://…, is moved in tasks by processes of this
    machine or of a dask scheduler. OUT.zarr has the same axes, and chunks in the layout --to.
    """
    shown = not (quiet or as_json)
    asked = Conversion(from_layout, to_layout, _sizes(shape, "shape"), dims)
    sizes = _sizes(chunks, "chunks"), _sizes(shards, "shards")
    options = ArrayOptions(physical, *sizes, scheduler, workers, memory, resume)
    if as_json:
        refuse({"quiet": quiet}, not_beside("--json"))
    if is_place(source):
        expected = phrase("file.source")
        refuse({"tensor": tensor, "raw": raw, "dtype": dtype}, expected)
        refuse({"threads": threads, "backend": backend}, expected)
        if dry_run:
            refuse({"resume": resume}, not_beside("--dry-run"))
        if scheduler is not None:
            refuse({"workers": workers}, not_beside("--scheduler"))
        with typed({"from": from_layout, "to": to_layout, "dims": dims or ""}):
            found = zarr_arrays.transfer_of(source, target, asked, options)
        if not quiet:
            show(zarr_arrays.answer(found), lambda: zarr_arrays.report(found), as_json=as_json)
        if not dry_run:
            with interruptible():
                zarr_arrays.run(found, options, shown=shown)
        return
    expected = phrase("zarr.source")
    refuse({**asdict(options), "dry_run": dry_run}, expected)
    if target == STREAM:
        refuse({"json": as_json}, phrase("output.file"))
    file, content = _opened(source, raw=raw, dtype=dtype)
    _check_name(target, file.kind)
    job = _planned(file, asked, tensor or ())
    start_s = time.perf_counter()
    with (
        interruptible(),
        bar(Path(target).name, job.size_bytes, BYTES, shown=shown) as advance,
        written(target, job.size_bytes) as made,
    ):
        made[: len(job.head)] = np.frombuffer(job.head, dtype=np.uint8)
        kept, new = content[job.begin :], made[len(job.head) :]
        used = job.run(kept, new, threads=threads, backend=backend, progress=advance)
    if not quiet and target != STREAM:
        seconds = time.perf_counter() - start_s
        show(_answer(job, used), lambda: _report(job, target, used, seconds), as_json=as_json)


def _sizes(text: str | None, field: str) -> tuple[int, ...] | None:
    return None if text is None else tuple(integers(text, field))


def _answer(job: FileJob, used: Backends) -> Mapping[str, Any]:
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


def _planned(file: TensorFile, asked: Conversion, names: Sequence[str]) -> FileJob:
    """The job for a file: the named tensors are reordered.

    Without names, every tensor whose rank fits the source layout; there must be at least one.
    Errors: LayoutError naming tensor, shape, layout, target or dims.
    """
    with typed({"layout": asked.source, "target": asked.target, "dims": asked.dims or ""}):
        wanted = dict.fromkeys(names or (None,))
        tensors = [each for name in wanted for each in _chosen(file, asked, name)]
        if asked.shape is not None and len(tensors) != 1:
            raise LayoutError("shape", asked.shape, phrase("tensor.with_shape"))
        tasks = [_task(each, asked) for each in sorted(tensors, key=lambda each: each.begin)]
    return FileJob.of(file, tasks)


def _report(job: FileJob, target: str, used: Backends, seconds: float) -> Iterator[RenderableType]:
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


def _opened(source: str, *, raw: bool, dtype: str | None) -> tuple[TensorFile, Bytes]:
    """What a file's header says, and its bytes; with ``raw`` it has only elements of ``dtype``.

    ``source``: its name, or STREAM for what comes from standard input.
    Errors: LayoutError naming dtype, or the file and the wrong part of it; OSError.
    """
    if raw != (dtype is not None):
        raise LayoutError("dtype", dtype, phrase("dtype.with_raw"))
    element = None if dtype is None else parse_dtype(dtype)
    content = mapped(source)
    try:
        if element is None:
            said = _read(content)
            expected = phrase("file.size", size=said.size_bytes)
        else:
            said = tensor_file.raw(element, len(content) * 8 // element.bits)
            expected = phrase("dtype.whole", dtype=element.name)
        if said.size_bytes != len(content):
            raise LayoutError("", Described(f"{len(content)} bytes"), expected)
    except LayoutError as error:
        raise error.under(": ".join(filter(None, (source, error.field)))) from None
    return said, content


def _read(content: Bytes) -> TensorFile:
    prefix = content[: tensor_file.PREFIX_BYTES].tobytes()
    kind = tensor_file.recognised(prefix)
    if kind is None:
        raise refusal("", "bytes that begin otherwise", "file.kind")
    header = content[: tensor_file.header_size(kind, prefix)].tobytes()
    return tensor_file.read(kind, header)


def _check_name(target: str, written: Kind) -> None:
    """Raise LayoutError if the name of a file belongs to another kind than ``written``."""
    suffix = "zarr" if is_place(target) else Path(target).suffix.lower().removeprefix(".")
    if suffix in _SUFFIXES - {written}:
        raise refusal(target, f"a name of {suffix}", "file.name", kind=written)
