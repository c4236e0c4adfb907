"""Cache lines: memory moves 64 bytes at a time."""

from ...engine import Layout, offset_map, parse_dtype, parse_layout
from ...engine.cost.walk import walk_cost
from ...engine.notation.view_steps import select
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question, Wrong
from ..sums import strides_text

_TEXT = (
    "A processor never fetches one element: it fetches a whole line of 64 bytes, which begins at a "
    "multiple of 64. Neighbours in memory come along for nothing. So a program pays for "
    "the lines that it touches."
)
_LINE = 64
_PLANES = ((2, 3), (2, 4), (2, 5), (3, 2))


def _ask(draw: Draw, level: int) -> Question:
    dtype = draw.pick(("float16", "float32", "float64") if level == 1 else ("float32", "float64"))
    size = parse_dtype(dtype).bits // 8
    if level == 1:
        text, shape = "HW", draw.sizes(2, 4, 9, most=63)
    else:
        channels = draw.pick((5, 6, 7)) if level == 2 else 8
        text = draw.pick(("NCHW", "NHWC")) if level == 2 else draw.pick(("NHWC", "NCHW4"))
        shape = (1, channels, *draw.pick(_PLANES))
    layout = parse_layout(text, shape)
    at = draw.at(shape)
    if level == 1:
        read, what = select(layout, 1, at[1]), f"the column w {at[1]}"
    elif level == 2:
        pixel = select(select(layout, 3, at[3]), 2, at[2])
        read, what = pixel, f"all channels of the pixel h {at[2]}, w {at[3]}"
    else:
        read, what = select(layout, 1, at[1]), f"the whole channel c {at[1]}"
    addresses = sorted(offset_map(read).ravel().tolist())
    lines = walk_cost(read, parse_dtype(dtype)).lines.distinct
    per_line = _LINE // size
    return Question(
        unit="lines",
        line=per_line,
        prompt=f"A program reads {what} of this {dtype} tensor in {text}. How many cache lines "
        "does it touch?",
        expected=lines,
        wrong=_wrong(layout, read, size),
        hints=(
            f"How many {dtype} elements of {size} bytes fit into one line?",
            f"Write down the addresses that are read; the strides are {strides_text(layout)}. "
            "Divide each by the elements of a line, drop the remainder, and count what differs.",
        ),
        explanation=f"The addresses {', '.join(map(str, addresses))} lie in {lines} "
        f"line{'s' if lines > 1 else ''} of {per_line} elements.",
        tensors=(Exhibit(layout, text, dtype),),
        drawn=addresses,
        about={"reads_at": at, "dtype": dtype, "reads": ("column", "pixel", "channel")[level - 1]},
    )


def _wrong(layout: Layout, read: Layout, size: int) -> list[Wrong]:
    count = read.elements
    found = [
        Wrong(
            "line_each",
            count,
            f"You counted a line for each of the {count} elements. Some share one.",
        ),
        Wrong(
            "side_by_side",
            -(-count * size // _LINE),
            f"That would do if the {count} elements lay side by side from the beginning of a line.",
        ),
    ]
    if layout.elements > _LINE:
        of_elements = walk_cost(read, parse_dtype("int8")).lines.distinct
        text = f"You let a line hold {_LINE} elements. It holds {_LINE} bytes."
        found.append(Wrong("elements_for_bytes", of_elements, text))
    return found


LESSON = Lesson("cache-lines", "Cache lines", 3, _TEXT, _ask)
