"""Commands about one tensor. Each converts the typed text to a request and prints the answer."""

from typing import Annotated

from typer import Argument, Option

from ..contract import answers, requests
from ..contract.costs import CostRequest, answer_cost
from ..contract.schedules import ScheduleRequest, answer_schedule
from ..engine.description.text import LETTERS
from ..engine.model.errors import LayoutError, phrase, refusal
from ..engine.notation.paste.reading import Read
from ..files.zarr.places import is_place
from . import tables, zarr_arrays
from .arguments import (
    MOST_TEXT_BYTES,
    AsJson,
    Dims,
    Dtype,
    Elements,
    LayoutText,
    Shape,
    beside,
    emit,
    integers,
    not_beside,
    refuse,
    show,
    steps,
    tensor,
)
from .pictures import pictures
from .refusals import typed
from .whole_file import STREAM, standard_input

_ROWS = 16


def describe(
    shape: Annotated[
        str | None, Argument(help="Logical sizes: 2,64,3,3; () for a scalar. Or a .zarr array.")
    ] = None,
    layout: Annotated[
        str | None, Argument(help="Any notation: NCHW4, '(5, 1)+3', onednn:aBcd4b.")
    ] = None,
    dtype: Dtype = None,
    dims: Dims = None,
    elements: Elements = None,
    row: Annotated[int | None, Option(min=1, help="Elements in a row of memory.")] = None,
    rows: Annotated[
        int | None, Option(min=1, help=f"Rows to show of each grid; default: {_ROWS}.")
    ] = None,
    letters: Annotated[
        bool, Option("--letters", help="Label elements A, B, C...; for at most 26 elements.")
    ] = False,
    grid: Annotated[bool | None, Option(help="Draw the tensor, as is done by default.")] = None,
    from_repr: Annotated[
        str | None,
        Option(metavar="TEXT", help="In place of both: what a debugger printed; - is its input."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show strides, sizes, properties, names, notations and memory of a tensor.

    Of an array of zarr v3, a folder x.zarr or a URL s3://…: how it lies in its chunks.
    """
    of_grid = {"row": row, "rows": rows, "letters": letters, "grid": grid}
    if from_repr is not None:
        refuse({"shape": shape, "layout": layout}, not_beside("--from-repr"))
        shape, layout, said_dtype = _said(from_repr)
        dtype = dtype or said_dtype
    if shape is None:
        raise LayoutError("shape", None, phrase("shape.needed"))
    if layout is None:
        expected = phrase("layout.or_zarr")
        if not is_place(shape):
            raise LayoutError("layout", None, expected)
        refuse({"dtype": dtype, "elements": elements, **of_grid}, expected)
        refuse({"no_grid": grid is False}, expected)
        array = zarr_arrays.described(shape, dims)
        answer = zarr_arrays.array_answer(array)
        show(answer, lambda: zarr_arrays.description(array), as_json=as_json)
        return
    if as_json:
        refuse(of_grid, not_beside("--json"))
    if grid is False:
        refuse(of_grid, not_beside("--no-grid"))
    asked = tensor(shape, layout, dtype, dims, elements)
    with typed({"layout": layout, "dims": dims or ""}):
        if as_json:
            emit(answers.answer_describe(asked))
            return
        found = asked.parse()
    most = len(LETTERS)
    if letters and found.layout.elements > most:
        raise LayoutError("--letters", found.layout.elements, phrase("letters.most", most=most))
    screen = tables.console()
    for part in tables.description_sections(found.describe()):
        screen.print(part)
    if grid is not False:
        for line in pictures(found, screen, row_elems=row, rows=rows or _ROWS, letters=letters):
            screen.print(line, no_wrap=True)


def offsets(
    shape: Shape,
    layout: LayoutText,
    coordinates: Annotated[
        list[str] | None, Argument(help="One or more coordinates such as 1,0,1.")
    ] = None,
    owners: Annotated[
        str | None, Option(help="Addresses such as 0,3,5: show their owners.")
    ] = None,
    dtype: Dtype = None,
    dims: Dims = None,
    elements: Elements = None,
    as_json: AsJson = False,
) -> None:
    """Show addresses of coordinates, or with --owners what is at addresses."""
    asked = tensor(shape, layout, dtype, dims, elements)
    if (owners is None) == (not coordinates):
        raise LayoutError("coordinates", coordinates or None, phrase("coordinates.or_owners"))
    addresses = integers(owners or "", "owners")
    at = [integers(text, f"coordinates[{i}]") for i, text in enumerate(coordinates or [])]
    with typed({"layout": layout, "dims": dims or ""}):
        if owners is not None:
            owned = answers.answer_coordinates(
                requests.CoordinatesRequest(tensor=asked, offsets=addresses)
            )
            show(owned, lambda: [tables.owners_table(owned["owners"])], as_json=as_json)
            return
        found = answers.answer_offsets(requests.OffsetsRequest(tensor=asked, coordinates=at))
    offsets = found["offsets"].tolist()
    show(found, lambda: [tables.offsets_table(asked.parse(), at, offsets)], as_json=as_json)


def slice_(
    shape: Shape,
    layout: LayoutText,
    index: Annotated[
        str | None, Argument(help="A NumPy index: '0, ::-1, 1:3'. Without it, give a window.")
    ] = None,
    offsets: Annotated[str | None, Option(help="Window: offsets.")] = None,
    sizes: Annotated[str | None, Option(help="Window: sizes.")] = None,
    strides: Annotated[str | None, Option(help="Window: strides.")] = None,
    output_sizes: Annotated[str | None, Option(help="Window: sizes of the result.")] = None,
    dtype: Dtype = None,
    dims: Dims = None,
    as_json: AsJson = False,
) -> None:
    """Show the elements that a NumPy index or a DML_SLICE1 window selects, and their view."""
    texts = {"offsets": offsets, "sizes": sizes, "strides": strides, "output_sizes": output_sizes}
    given = {name: integers(t, f"window.{name}") for name, t in texts.items() if t is not None}
    missing = [f"--{name}" for name in ("offsets", "sizes", "strides") if name not in given]
    if (index is None) == (not given):
        raise LayoutError("slice", index, phrase("slice.index_or_window"))
    if given and missing:
        raise LayoutError("window", None, phrase("window", names=" and ".join(missing)))
    asked = requests.SliceRequest(
        tensor=tensor(shape, layout, dtype, dims),
        index=index,
        window=requests.Window(**given) if given else None,
    )
    with typed({"layout": layout, "dims": dims or "", "index": index or ""}):
        if as_json:
            emit(answers.answer_slice(asked))
            return
        taken = asked.taken(asked.tensor.parse().layout)
    tables.console().print(tables.slice_summary(taken))


def cost(
    shape: Shape,
    layout: LayoutText,
    order: Annotated[
        str | None, Option(help="Loops, outermost first: NHWC, NCHW4c; default: logical.")
    ] = None,
    line: Annotated[int | None, Option(help="Bytes of a cache line; default: 64.")] = None,
    page: Annotated[int | None, Option(help="Bytes of a page; default: 4096.")] = None,
    cache: Annotated[str | None, Option(help="Bytes and ways of a cache: 32768,8.")] = None,
    orders: Annotated[bool, Option("--orders", help="Compare all orders.")] = False,
    warp: Annotated[
        str | None, Option(help="Count an access of a warp: W, or WH for w, then h.")
    ] = None,
    at: Annotated[str | None, Option(help="Coordinate of lane 0.")] = None,
    vector: Annotated[int | None, Option(help="Elements of a lane; default: 1.")] = None,
    shared: Annotated[bool, Option("--shared", help="In shared memory: banks.")] = False,
    suggest: Annotated[
        bool, Option("--suggest", help="Layouts without bank conflicts; with --shared.")
    ] = False,
    dtype: Dtype = None,
    dims: Dims = None,
    as_json: AsJson = False,
) -> None:
    """Count what accesses cost: lines and pages of a walk; sectors, bank passes of a warp."""
    of_warp = {"at": at, "vector": vector, "shared": shared, "suggest": suggest}
    of_walk = {"order": order, "line": line, "page": page, "cache": cache, "orders": orders}
    if warp is None:
        refuse(of_warp, beside("--warp"))
        size = None if cache is None else integers(cache, "cache")
        if size is not None and len(size) != 2:
            raise LayoutError("cache", size, phrase("cache.text"))
        sizes = size and {"bytes": size[0], "ways": size[1]}
        given = {"order": order, "line_bytes": line, "page_bytes": page, "cache": sizes}
        given["orders"] = orders
    else:
        refuse(of_walk, not_beside("--warp"))
        if not shared:
            refuse({"suggest": suggest}, beside("--shared"))
        given = {"along": warp or None, "at": at and integers(at, "at"), "vector": vector}
        given |= {"suggest": suggest, "space": "shared" if shared else None}
    asked = {name: value for name, value in given.items() if value is not None}
    what = "walk" if warp is None else "warp"
    told = tensor(shape, layout, dtype, dims)
    request = CostRequest.model_validate({"tensor": told, what: asked})
    with typed({"layout": layout, "dims": dims or "", "walk.order": order or ""}):
        found = answer_cost(request)
    sections = tables.walk_sections if warp is None else tables.warp_sections
    show(found, lambda: sections(found), as_json=as_json)


def read(
    text: Annotated[str, Argument(help="Text of a session, a debugger or a log; - is its input.")],
    as_json: AsJson = False,
) -> None:
    """Show the tensors that a text names: a notation, or what a session or a log printed."""
    found = _read(text)
    show(found, lambda: tables.read_sections(found), as_json=as_json)


def _read(text: str) -> Read:
    """What a text names; ``-`` is standard input."""
    if text == STREAM:
        text = standard_input().read(MOST_TEXT_BYTES).decode("utf-8", "replace")
    with typed({"text": text}):
        return answers.answer_read(requests.ReadRequest(text=text))


def _said(text: str) -> tuple[str, str, str | None]:
    """Shape, layout and element type of the first tensor that a text names.

    Errors: LayoutError naming ``--from-repr``.
    """
    try:
        found = _read(text)
    except LayoutError as error:
        raise error.under("--from-repr") from None
    if found.shape is None or found.layout is None:
        raise refusal("--from-repr", "other text", "repr.text")
    return ",".join(map(str, found.shape)) or "()", found.layout, found.dtype


def view(
    shape: Shape,
    layout: LayoutText,
    taken: Annotated[
        list[str],
        Argument(metavar="STEPS", help="Such as 'permute(0,2,3,1)', narrow=1,0,2, reshape=6,-1."),
    ],
    dtype: Dtype = None,
    dims: Dims = None,
    elements: Elements = None,
    as_json: AsJson = False,
) -> None:
    """Show the layout after PyTorch's view operations, or why one of them needs a copy."""
    asked = tensor(shape, layout, dtype, dims, elements)
    request = requests.ViewRequest.model_validate({"tensor": asked, "steps": steps(taken)})
    with typed({"layout": layout, "dims": dims or ""}):
        found = answers.answer_view(request)
    show(found, lambda: tables.view_sections(taken, found), as_json=as_json)


def elementwise(
    operands: Annotated[
        list[str],
        Argument(metavar="SHAPE LAYOUT ...", help="The shape and layout of each operand."),
    ],
    dtype: Dtype = None,
    as_json: AsJson = False,
) -> None:
    """Show the layout of an element-wise operation's result, by PyTorch's eager rule."""
    if len(operands) % 2:
        raise LayoutError("layout", None, phrase("operands.pairs"))
    pairs = zip(operands[::2], operands[1::2], strict=True)
    request = requests.ElementwiseRequest(operands=[tensor(*pair, dtype) for pair in pairs])
    found = answers.answer_elementwise(request)
    show(found, lambda: tables.description_sections(found["tensor"]), as_json=as_json)


def schedule(
    shape: Shape,
    layout: LayoutText,
    target: Annotated[str, Argument(help="The layout to copy to, in any notation.")],
    first: Annotated[int, Option(min=0, help="Number of the first step.")] = 0,
    count: Annotated[int, Option(min=0, help="How many steps.")] = 64,
    dtype: Dtype = None,
    dims: Dims = None,
    elements: Elements = None,
    as_json: AsJson = False,
) -> None:
    """Show the steps of a reorder's plan: what each reads and writes."""
    asked = tensor(shape, layout, dtype, dims, elements)
    with typed({"source.layout": layout, "target": target, "source.dims": dims or ""}):
        request = ScheduleRequest(source=asked, target=target, first=first, count=count)
        found = answer_schedule(request)
    show(found, lambda: tables.schedule_sections(found), as_json=as_json)
