"""Arrays of zarr v3 on the command line: what a run will do, the run, an array's layout."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from os import cpu_count

from rich.console import RenderableType
from rich.filesize import decimal

from ..contract.shapes import Answer
from ..engine.description.description import describe
from ..engine.model.errors import LayoutError, phrase
from ..engine.notation import Written
from ..files.onnx import MissingLibraryError
from ..files.reorder import Conversion
from ..files.zarr import layout, places, running
from ..files.zarr.boxes import Boxes
from ..files.zarr.layout import ArrayLayout
from ..files.zarr.transfer import Transfer, Workers, planned
from . import tables
from .arguments import size_bytes
from .tables import BYTES, bar

_DEFAULT_MEMORY = "2GiB"


@dataclass(frozen=True, slots=True)
class ArrayOptions:
    """How arrays are reordered. Sizes are per axis of the target; None for the default."""

    physical: bool
    chunks: tuple[int, ...] | None
    shards: tuple[int, ...] | None
    scheduler: str | None
    workers: int | None
    memory: str | None
    resume: bool


def transfer_of(source: str, target: str, asked: Conversion, options: ArrayOptions) -> Transfer:
    """Return what has to be done, after reading the source's metadata and what the workers have.

    Errors: LayoutError naming an option or an array; MissingLibraryError.
    """
    _require()
    if not places.is_place(target):
        raise LayoutError("OUT", target, phrase("zarr.name"))
    array, names = places.metadata_of(source)
    reading = layout.found(array, names, asked.source, asked.dims, asked.shape)
    physical, chunks, shards = options.physical, options.chunks, options.shards
    writing = layout.made(reading, asked.target, physical=physical, chunks=chunks, shards=shards)
    if places.there(target):
        raise LayoutError("OUT", target, phrase("zarr.new_place"))
    return planned(source, reading, target, writing, _workers(options))


def run(found: Transfer, options: ArrayOptions, *, shown: bool) -> None:
    """Carry it out. Errors: LayoutError; those of the stores."""
    moved_bytes = sum(one.moved_bytes for one in found.passes)
    with (
        bar(found.passes[-1].target, moved_bytes, BYTES, shown=shown) as advance,
        running.cluster(found.workers, options.scheduler) as tasks,
    ):
        running.run(found, tasks, resume=options.resume, advance=advance)


def answer(found: Transfer) -> Answer:
    return {
        "workers": found.workers.count,
        "worker_memory_bytes": found.workers.memory_bytes,
        "tasks_beside": found.workers.beside,
        "tasks": [len(one.boxes) for one in found.passes],
        "peak_bytes": found.peak_bytes,
        "read_bytes": found.read_bytes,
        "written_bytes": found.written_bytes,
        "read_amplification": found.amplification,
        "target": array_answer(found.passes[-1].writing),
    }


def report(found: Transfer) -> Iterator[RenderableType]:
    first, last = found.passes[0].reading, found.passes[-1].writing
    yield tables.headline(describe(Written(first.whole()), first.element))
    yield tables.headline(describe(Written(last.whole()), last.element))
    rows = {
        "array": f"{list(last.extents)} {', '.join(last.names())}",
        "chunks": _chunks(last),
        "tasks": " + ".join(f"{len(one.boxes):,}" for one in found.passes),
        "workers": _told(found.workers),
        "memory of a worker": f"at most {decimal(found.peak_bytes)}",
        "read": f"{decimal(found.read_bytes)}, a chunk {found.amplification:.3g} times",
        "written": decimal(found.written_bytes),
    }
    if len(found.passes) > 1:
        rows["between"] = f"an array with chunks of {list(found.passes[0].writing.chunks)}"
    yield tables.columns("", "", rows=rows.items())


def described(place: str, dims: str | None) -> ArrayLayout:
    """The layout of the array at a place. Errors: LayoutError; MissingLibraryError."""
    _require()
    return layout.found(*places.metadata_of(place), None, dims)


def description(found: ArrayLayout) -> Iterator[RenderableType]:
    rows = {
        "chunks": _chunks(found),
        "inside a chunk": ", ".join(found.names()[axis] for axis in found.inside),
        **({} if found.shards is None else {"shards": f"{list(found.shards)}"}),
        "compressed": "yes" if found.compressed else "no",
    }
    table = tables.columns("", "", rows=rows.items())
    yield from tables.description_sections(describe(Written(found.whole()), found.element))
    yield tables.section("zarr: the chunks above stand one behind the other", table)


def array_answer(found: ArrayLayout) -> Answer:
    return {
        "shape": list(found.extents),
        "dtype": found.dtype,
        "dimension_names": found.names(),
        "chunks": list(found.chunks),
        "shards": None if found.shards is None else list(found.shards),
        "order": list(found.inside),
        "layout": str(found.whole()),
    }


def _chunks(found: ArrayLayout) -> str:
    count = len(Boxes(found.extents, found.chunks))
    chunk_bytes = found.itemsize * math.prod(found.chunks)
    return f"{list(found.chunks)}: {tables.count(count, 'chunk')} of {decimal(chunk_bytes)}"


def _workers(options: ArrayOptions) -> Workers:
    memory_bytes = size_bytes(options.memory or _DEFAULT_MEMORY, "memory")
    if options.scheduler is None:
        count = options.workers or cpu_count() or 1
        return Workers(count, count, memory_bytes)
    most_bytes = memory_bytes if options.memory else None
    return running.workers_of(
        options.scheduler, most_bytes=most_bytes, unlimited_bytes=memory_bytes
    )


def _told(workers: Workers) -> str:
    least = "" if workers.count == 1 else ", the least"
    beside = "" if workers.beside == 1 else f" for {workers.beside} tasks at once"
    return f"{workers.count:,}{least} with {decimal(workers.memory_bytes)}{beside}"


def _require() -> None:
    missing = [name for name in ("zarr", "dask", "distributed") if find_spec(name) is None]
    if missing:
        raise MissingLibraryError(phrase("library.zarr", names=tuple(missing)))
