"""``stridescope reorder``: files here, arrays of zarr in tasks."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from ..files.reorder import Conversion
from ..files.zarr.places import is_place
from . import tables, tensor_files, zarr_arrays
from .arguments import integers
from .options import AsJson, Dims, Threads, emit
from .progress import BYTES, bar
from .refusals import typed
from .reorder_files import planned, report
from .whole_file import interruptible


def reorder(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="A .npy or .safetensors file, or a .zarr array.")
    ],
    target: Annotated[str, typer.Argument(metavar="OUT", help="What to write; a file may be IN.")],
    from_layout: Annotated[str, typer.Option("--from", help="Layout of IN's memory.")],
    to_layout: Annotated[str, typer.Option("--to", help="Layout of OUT's memory.")],
    shape: Annotated[
        str | None,
        typer.Option("--shape", help="Logical sizes, if the file does not contain them."),
    ] = None,
    dims: Dims = None,
    tensors: Annotated[
        list[str] | None,
        typer.Option("--tensor", help="A name in a .safetensors file; may be repeated."),
    ] = None,
    raw: Annotated[bool, typer.Option("--raw", help="IN has elements but no header.")] = False,
    dtype: Annotated[str | None, typer.Option("--dtype", "-t", help="Only with --raw.")] = None,
    threads: Threads = None,
    backend: Annotated[
        str | None, typer.Option("--backend", help="numpy, numba or cupy; default: the fastest.")
    ] = None,
    physical: Annotated[
        bool, typer.Option("--physical", help="OUT.zarr has an axis for each block.")
    ] = False,
    chunks: Annotated[
        str | None, typer.Option("--chunks", help="Chunk of OUT.zarr, a size per axis.")
    ] = None,
    shards: Annotated[
        str | None, typer.Option("--shards", help="Shard of OUT.zarr, a size per axis.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", help="A dask scheduler, such as tcp://host:8786.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes here, without --scheduler.")
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option("--memory", help="Of a worker, 512MB; default: its limit, or 2GiB."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be read and written, then stop.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an interrupted run to OUT.zarr.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing, no bar.")] = False,
    as_json: AsJson = False,
) -> None:
    """Copy a file of tensors into another layout; padding is written as zeros.

    Without --tensor, every tensor whose rank fits --from is reordered. The other tensors, the
    names and the metadata stay the same. Files may be larger than memory. OUT appears only when it
    is complete.

    An array of zarr v3, a folder x.zarr or a URL s3://…, is moved in tasks by processes of this
    machine or of a dask scheduler. OUT.zarr has the same axes, and chunks in the layout --to.
    """
    sizes = _sizes(shape, "shape")
    arrays = zarr_arrays.ArrayOptions(
        sizes,
        dims,
        physical,
        _sizes(chunks, "chunks"),
        _sizes(shards, "shards"),
        scheduler,
        workers,
        memory,
        resume,
        dry_run,
    )
    if is_place(source):
        with typed({"from": from_layout, "to": to_layout, "dims": dims or ""}):
            found = zarr_arrays.transfer_of(source, target, from_layout, to_layout, arrays)
        if as_json:
            emit(zarr_arrays.answer(found))
        elif not quiet:
            for part in zarr_arrays.report(found):
                tables.console().print(part)
        if not dry_run:
            with interruptible():
                zarr_arrays.run(found, arrays, shown=not (quiet or as_json))
        return
    zarr_arrays.refuse(arrays)
    path = Path(target)
    file = tensor_files.opened(Path(source), raw=raw, dtype=dtype)
    tensor_files.check_suffix(path, file.said.kind)
    job = planned(file, Conversion(from_layout, to_layout, sizes, dims), tensors or ())
    start_s = time.perf_counter()
    shown = not (quiet or as_json)
    with interruptible(), bar(path.name, job.size_bytes, BYTES, shown=shown) as advance:
        used = job.run(path, threads=threads, backend=backend, advance=advance)
    if as_json:
        emit(job.answer(used))
    elif not quiet:
        screen = tables.console()
        for part in report(job, path, used, time.perf_counter() - start_s):
            screen.print(part)


def _sizes(text: str | None, field: str) -> tuple[int, ...] | None:
    return None if text is None else tuple(integers(text, field))
