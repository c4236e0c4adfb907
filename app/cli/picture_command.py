"""``stridescope picture``: the drawing of a tensor as a file."""

import sys
from pathlib import Path
from typing import Annotated

import numpy as np
from typer import Argument, Option

from ..contract.pictures import LEAST_SCALE, MOST_SCALE, OPTIONS, file_of, picture_of
from ..engine import layout_of
from ..engine.model.dtypes import ELEMENT_TYPES, find_dtype
from ..engine.model.errors import Described, LayoutError, one_of, refusal
from ..nearest import nearest
from ..picture.composed import FORMATS
from .arguments import Dims, Dtype, Elements, LayoutText, Shape, tensor
from .refusals import typed
from .tensor_commands import describe
from .whole_file import STREAM


def show(
    file: Annotated[Path, Argument(help="A .npy file, whose values are not read.")],
    output: Annotated[
        str | None, Option("--output", "-o", help="Draw to a .svg, .png, .tex or .txt file.")
    ] = None,
) -> None:
    """Show how the array of a .npy file lies in memory: on the screen, or as a picture."""
    try:
        array = np.lib.format.open_memmap(file, mode="r")
    except (ValueError, EOFError) as error:
        raise refusal("file", f"a file that is none ({file.name})", "npy.array") from error
    layout = layout_of(array)
    found = find_dtype(array.dtype.name)
    if found is None or layout.strides is None:
        got = Described(f"elements of type {array.dtype.name}")
        raise LayoutError("file", got, one_of(ELEMENT_TYPES))
    sizes = ",".join(map(str, layout.shape)) or "()"
    if output is None:
        describe(sizes, str(layout), found.name)
    else:
        picture(sizes, str(layout), output, found.name)


def picture(
    shape: Shape,
    layout: LayoutText,
    output: Annotated[
        str,
        Option("--output", "-o", help="A .svg, .png, .tex or .txt file; - is SVG on the screen."),
    ] = STREAM,
    dtype: Dtype = None,
    dims: Dims = None,
    elements: Elements = None,
    view: Annotated[str | None, Option(help=OPTIONS["view"][1])] = None,
    colour: Annotated[str | None, Option(help=OPTIONS["colour"][1])] = None,
    line: Annotated[str | None, Option(help=OPTIONS["line"][1])] = None,
    page: Annotated[str | None, Option(help=OPTIONS["page"][1])] = None,
    text: Annotated[str | None, Option(help=OPTIONS["text"][1])] = None,
    values: Annotated[str | None, Option(help=OPTIONS["values"][1])] = None,
    theme: Annotated[str | None, Option(help=OPTIONS["theme"][1])] = None,
    row: Annotated[str | None, Option(help=OPTIONS["row"][1])] = None,
    steps: Annotated[str | None, Option(help=OPTIONS["steps"][1])] = None,
    index: Annotated[str | None, Option("--slice", help=OPTIONS["slice"][1])] = None,
    at: Annotated[str | None, Option(help=OPTIONS["at"][1])] = None,
    b_layout: Annotated[str | None, Option(help=OPTIONS["b-layout"][1])] = None,
    title: Annotated[str | None, Option(help=OPTIONS["title"][1])] = None,
    caption: Annotated[str | None, Option(help=OPTIONS["caption"][1])] = None,
    scale: Annotated[
        float, Option(min=LEAST_SCALE, max=MOST_SCALE, help="Pixels of a PNG to one of the SVG.")
    ] = 2,
) -> None:
    """Draw a tensor as a file: SVG, PNG, TikZ (.tex) or text (.txt), by the name's ending."""
    form = "svg" if output == STREAM else Path(output).suffix.removeprefix(".").lower()
    if form not in FORMATS:
        endings = tuple(f".{each}" for each in FORMATS)
        meant = nearest(f".{form}", endings)
        raise LayoutError("--output", output, one_of(endings), suggestion=meant)
    asked = tensor(shape, layout, dtype, dims, elements)
    given = (
        *(view, colour, line, page, text, values, theme),
        *(row, steps, index, at, b_layout, title, caption),
    )
    options = {name: said or "" for name, said in zip(OPTIONS, given, strict=True)}
    with typed({"layout": layout, "dims": dims or "", **options}):
        file = file_of(picture_of(asked, options), form, scale)
    if output == STREAM:
        sys.stdout.buffer.write(file)
    else:
        Path(output).write_bytes(file)
