"""The commands. Each converts the typed text to a request and prints the contract's answer."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ..contract.answers import (
    answer_coordinates,
    answer_describe,
    answer_formats,
    answer_offsets,
    answer_slice,
)
from ..contract.costs import CacheSize, CostRequest, Walk, WarpAccess, answer_cost
from ..contract.requests import CoordinatesRequest, OffsetsRequest, SliceRequest, Window
from ..engine.model.errors import LayoutError, Phrase
from ..engine.network import RULE_SETS
from ..engine.network.examples import EXAMPLES
from ..engine.notation.formats import FORMATS
from ..files.zarr.places import is_place
from . import benchmark, costs, networks, tables, zarr_arrays
from .arguments import integers, tensor
from .options import AsJson, Dims, Dtype, Elements, LayoutText, Shape, Threads, emit, show
from .pictures import pictures
from .progress import ITEMS, bar
from .refusals import RefusingGroup, printable, typed
from .reorder_command import reorder
from .versions import say_versions

# A worker that says nothing for so long is replaced, and its calls are lost. On a busy machine a
# healthy one may take longer than uvicorn's five seconds only to start.
_SILENT_S: Final = 60

app = typer.Typer(
    cls=RefusingGroup,
    name="stridescope",
    help="See how a tensor lies in memory.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=say_versions, is_eager=True, help="Versions, kernels in use."
        ),
    ] = False,
) -> None:
    """See how a tensor lies in memory."""


@app.command()
def serve(
    host: Annotated[str, typer.Option(envvar="HOST", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(envvar="PORT", min=1, max=65535)] = 8000,
    workers: Annotated[
        int,
        typer.Option(
            envvar="WEB_CONCURRENCY",
            min=1,
            help="Processes that answer. They share nothing: each has the limits of the settings.",
        ),
    ] = 1,
) -> None:
    """Serve the explorer and the API."""
    import uvicorn  # noqa: PLC0415 - the other commands need no server

    from ..settings import Settings  # noqa: PLC0415 - nor settings of one

    if workers > 1 and Settings().metrics_port is not None:
        expected = Phrase("workers.metrics", "1, as long as the metrics have a port of their own")
        raise LayoutError("workers", workers, expected)
    uvicorn.run(
        f"{__package__.rpartition('.')[0]}.main:app",
        host=host,
        port=port,
        workers=workers,
        timeout_worker_healthcheck=_SILENT_S,
    )


@app.command()
def kernels(
    folder: Annotated[Path, typer.Argument(help="Where to write them; it may exist.")],
) -> None:
    """Compile the fast kernels ahead of time, for every kind of processor of this machine's family.

    A process with STRIDESCOPE_KERNELS=FOLDER reads them, also from a folder that is read-only.
    """
    if find_spec("numba") is None:
        expected = Phrase("numba.extra", "the extra `fast`: pip install 'stridescope[fast]'")
        raise LayoutError("numba", None, expected)
    from .kernels import compile_into  # noqa: PLC0415 - imports Numba

    for level in compile_into(folder):
        typer.echo(level)


@app.command()
def describe(
    shape: Annotated[
        str, typer.Argument(help="Logical sizes: 2,64,3,3; () for a scalar. Or a .zarr array.")
    ],
    layout: Annotated[
        str | None, typer.Argument(help="Any notation: NCHW4, '(5, 1)+3', onednn:aBcd4b.")
    ] = None,
    dtype: Dtype = "float32",
    dims: Dims = None,
    elements: Elements = None,
    row: Annotated[
        int | None, typer.Option("--row", min=1, help="Elements in a row of memory.")
    ] = None,
    rows: Annotated[int, typer.Option("--rows", min=1, help="Rows to show of each grid.")] = 16,
    letters: Annotated[
        bool, typer.Option("--letters", help="Label elements A, B, C...; for at most 26 elements.")
    ] = False,
    grid: Annotated[bool, typer.Option("--grid/--no-grid", help="Draw the tensor.")] = True,
    as_json: AsJson = False,
) -> None:
    """Show strides, sizes, properties, names, notations and memory of a tensor.

    Of an array of zarr v3, a folder x.zarr or a URL s3://…: how it lies in its chunks.
    """
    if layout is None:
        if not is_place(shape):
            said = "a layout such as NCHW4, or the name of a .zarr array"
            raise LayoutError("layout", None, Phrase("layout.or_zarr", said))
        array = zarr_arrays.described(shape, dims)
        answer = zarr_arrays.array_answer(array)
        show(answer, lambda: zarr_arrays.description(array), as_json=as_json)
        return
    asked = tensor(shape, layout, dtype, dims, elements)
    with typed({"layout": layout, "dims": dims or ""}):
        if as_json:
            emit(answer_describe(asked))
            return
        found = asked.parse()
    screen = tables.console()
    for part in tables.description_sections(found.describe()):
        screen.print(part)
    if grid:
        for part in pictures(found, screen, row_elems=row, rows=rows, letters=letters):
            screen.print(part, no_wrap=True)


@app.command()
def offsets(
    shape: Shape,
    layout: LayoutText,
    coordinates: Annotated[
        list[str] | None, typer.Argument(help="One or more coordinates such as 1,0,1.")
    ] = None,
    owners: Annotated[
        str | None,
        typer.Option("--owners", help="Addresses such as 0,3,5: show their owners."),
    ] = None,
    dtype: Dtype = "float32",
    dims: Dims = None,
    elements: Elements = None,
    as_json: AsJson = False,
) -> None:
    """Show addresses of coordinates, or with --owners what is at addresses."""
    asked = tensor(shape, layout, dtype, dims, elements)
    if (owners is None) == (not coordinates):
        expected = Phrase("coordinates.or_owners", "either coordinates or --owners ADDRESSES")
        raise LayoutError("coordinates", coordinates or None, expected)
    addresses = integers(owners or "", "owners")
    at = [integers(text, f"coordinates[{i}]") for i, text in enumerate(coordinates or [])]
    with typed({"layout": layout, "dims": dims or ""}):
        if owners is not None:
            owned = answer_coordinates(CoordinatesRequest(tensor=asked, offsets=addresses))
            show(owned, lambda: [tables.owners_table(owned["owners"])], as_json=as_json)
            return
        found = answer_offsets(OffsetsRequest(tensor=asked, coordinates=at))
    offsets = found["offsets"].tolist()
    show(found, lambda: [tables.offsets_table(asked.parse(), at, offsets)], as_json=as_json)


@app.command("slice")
def slice_(
    shape: Shape,
    layout: LayoutText,
    index: Annotated[
        str | None, typer.Argument(help="A NumPy index: '0, ::-1, 1:3'. Without it, give a window.")
    ] = None,
    offsets: Annotated[str | None, typer.Option("--offsets", help="Window: offsets.")] = None,
    sizes: Annotated[str | None, typer.Option("--sizes", help="Window: sizes.")] = None,
    strides: Annotated[str | None, typer.Option("--strides", help="Window: strides.")] = None,
    output_sizes: Annotated[
        str | None, typer.Option("--output-sizes", help="Window: sizes of the result.")
    ] = None,
    dtype: Dtype = "float32",
    dims: Dims = None,
    as_json: AsJson = False,
) -> None:
    """Show the elements that a NumPy index or a DML_SLICE1 window selects, and their view."""
    texts = {
        "offsets": offsets,
        "sizes": sizes,
        "strides": strides,
        "output_sizes": output_sizes,
    }
    given = {name: integers(t, f"window.{name}") for name, t in texts.items() if t is not None}
    missing = [f"--{name}" for name in ("offsets", "sizes", "strides") if name not in given]
    if (index is None) == (not given):
        expected = Phrase("slice.index_or_window", "either an index or a window, and not both")
        raise LayoutError("slice", index, expected)
    if given and missing:
        names = " and ".join(missing)
        raise LayoutError("window", None, Phrase("window", "a window with {names}", names=names))
    asked = SliceRequest(
        tensor=tensor(shape, layout, dtype, dims),
        index=index,
        window=Window(**given) if given else None,
    )
    with typed({"layout": layout, "dims": dims or "", "index": index or ""}):
        if as_json:
            emit(answer_slice(asked))
            return
        taken = asked.taken(asked.tensor.parse().layout)
    tables.console().print(tables.slice_summary(taken))


@app.command()
def cost(
    shape: Shape,
    layout: LayoutText,
    order: Annotated[
        str | None,
        typer.Option("--order", help="Loops, outermost first: NHWC, NCHW4c; default: logical."),
    ] = None,
    line: Annotated[int, typer.Option("--line", help="Bytes of a cache line.")] = 64,
    page: Annotated[int, typer.Option("--page", help="Bytes of a page.")] = 4096,
    cache: Annotated[
        str | None, typer.Option("--cache", help="Bytes and ways of a cache: 32768,8.")
    ] = None,
    orders: Annotated[bool, typer.Option("--orders", help="Compare all orders.")] = False,
    warp: Annotated[
        str | None,
        typer.Option("--warp", help="Count an access of a warp: W, or WH for w, then h."),
    ] = None,
    at: Annotated[str | None, typer.Option("--at", help="Coordinate of lane 0.")] = None,
    vector: Annotated[int, typer.Option("--vector", help="Elements of a lane.")] = 1,
    shared: Annotated[bool, typer.Option("--shared", help="In shared memory: banks.")] = False,
    suggest: Annotated[
        bool, typer.Option("--suggest", help="Layouts without bank conflicts.")
    ] = False,
    dtype: Dtype = "float32",
    dims: Dims = None,
    as_json: AsJson = False,
) -> None:
    """Count what accesses cost: lines and pages of a walk; sectors, bank passes of a warp."""
    asked: dict[str, Any] = {"tensor": tensor(shape, layout, dtype, dims)}
    if warp is None:
        size = integers(cache, "cache") if cache is not None else None
        if size is not None and len(size) != 2:
            raise LayoutError("cache", size, Phrase("cache.text", "bytes and ways: 32768,8"))
        sizes = None if size is None else CacheSize(bytes=size[0], ways=size[1])
        asked["walk"] = Walk(
            order=order, line_bytes=line, page_bytes=page, cache=sizes, orders=orders
        )
    else:
        asked["warp"] = WarpAccess(
            along=warp or None,
            at=None if at is None else integers(at, "at"),
            vector=vector,
            space="shared" if shared else "global",
            suggest=suggest,
        )
    with typed({"layout": layout, "dims": dims or "", "walk.order": order or ""}):
        found = answer_cost(CostRequest(**asked))
    sections = costs.walk_sections if warp is None else costs.warp_sections
    show(found, lambda: sections(found), as_json=as_json)


app.command()(reorder)


@app.command()
def network(
    source: Annotated[
        str,
        typer.Argument(
            help="An .onnx file, a .json file as the API takes it, a .pt2 file of torch.export, "
            f"or one of {', '.join(EXAMPLES)}."
        ),
    ],
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules",
            help=f"The system: {', '.join(each.label for each in RULE_SETS.values())}. "
            "†: read in its source, never held against it running.",
        ),
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option("--option", help="Of the rules: block=16, kernels=brgemm; repeatable."),
    ] = None,
    sizes: Annotated[
        list[str] | None,
        typer.Option("--size", help="Of a dimension that the file leaves open: batch=4."),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="The layouts at the least cost.")] = False,
    as_mermaid: Annotated[
        bool, typer.Option("--mermaid", help="Print a Mermaid diagram of the --rules.")
    ] = False,
    as_svg: Annotated[
        bool, typer.Option("--svg", help="Print a drawing of the --rules or the --plan as SVG.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the layouts of a network: by the rules of a real system, and the best plan."""
    found = networks.opened(source, networks.sizes_of(sizes))
    said = networks.Asked(found, rules, networks.options_of(options), plan=plan)
    if found.assumed and (as_json or as_svg or as_mermaid):
        typer.echo(f"stridescope: {printable(found.assumptions)}", err=True)
    if as_svg and not as_json:
        typer.echo(said.svg(), nl=False)
    elif as_mermaid and not as_json:
        typer.echo(said.mermaid())
    else:
        show(said.json(), said.tables, as_json=as_json)


@app.command()
def bench(
    size: Annotated[str, typer.Option("--size", help="Size of a tensor: 64MB, 1.5GiB.")] = "64MB",
    threads: Threads = None,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Rounds for the median.")] = 7,
    as_json: AsJson = False,
) -> None:
    """Measure how fast this machine reorders, relative to how fast it copies."""
    sizes_bytes = sorted({benchmark.SMALL_BYTES, benchmark.size_bytes(size)}, reverse=True)
    cases = [case for s in sizes_bytes for case in benchmark.cases(s)]
    rows = []
    with bar("bench", len(cases), ITEMS, shown=not as_json) as advance:
        for case in cases:
            rows.append(benchmark.measured(case, threads=threads, rounds=rounds))
            advance(1)
    answer = benchmark.answer(rows, threads=threads, rounds=rounds)
    show(answer, lambda: benchmark.report(answer), as_json=as_json)


@app.command()
def formats(as_json: AsJson = False) -> None:
    """List the catalogue of named formats."""
    show(answer_formats(), lambda: [tables.formats_table(FORMATS)], as_json=as_json)


def main() -> None:
    """Entry point of ``stridescope``."""
    app()
