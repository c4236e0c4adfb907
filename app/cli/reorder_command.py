"""``stridescope reorder``: files here, arrays of zarr in tasks."""

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..engine.model.errors import Phrase
from ..files.reorder import Conversion
from ..files.zarr.places import is_place
from . import reorder_files, zarr_arrays
from .arguments import AsJson, Dims, Threads, integers, not_beside, refuse, show
from .progress import BYTES, bar
from .refusals import typed
from .whole_file import STREAM, interruptible
from .zarr_arrays import ArrayOptions


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
        expected = Phrase("file.source", "a file as IN, no array of zarr")
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
    expected = Phrase("zarr.source", "an array of zarr as IN (x.zarr)")
    refuse({**asdict(options), "dry_run": dry_run}, expected)
    if target == STREAM:
        refuse({"json": as_json}, Phrase("output.file", "a file as OUT: - takes the output"))
    file = reorder_files.opened(source, raw=raw, dtype=dtype)
    reorder_files.check_name(target, file.said.kind)
    job = reorder_files.planned(file.said, asked, tensor or ())
    start_s = time.perf_counter()
    with interruptible(), bar(Path(target).name, job.size_bytes, BYTES, shown=shown) as advance:
        used = reorder_files.run(
            job, file.content, target, threads=threads, backend=backend, advance=advance
        )
    if not quiet and target != STREAM:
        seconds = time.perf_counter() - start_s
        report = reorder_files.report(job, target, used, seconds)
        show(reorder_files.answer(job, used), lambda: report, as_json=as_json)


def _sizes(text: str | None, field: str) -> tuple[int, ...] | None:
    return None if text is None else tuple(integers(text, field))
