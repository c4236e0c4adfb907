"""Windows: the cells that a slice reads."""

from collections.abc import Iterable, Mapping

from ...engine import Layout, index_expression, parse_layout, window
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question, Wrong
from ..sums import address_of

_TEXT = (
    "A slice names for each dimension where to start, where to end and how far to step. "
    "In NumPy's start:end:step the end is not read. DirectML, Microsoft's library for GPUs, gives "
    "a window offset, a window size before stepping, and a window stride; a negative one begins at "
    "the window's last index."
)
Range = tuple[int, int, int]


def _ask(draw: Draw, level: int) -> Question:
    layout = parse_layout("HW", draw.sizes(2, 4, 7, most=35))
    return _index(draw, layout) if level == 1 else _window(draw, layout, level)


def _index(draw: Draw, layout: Layout) -> Question:
    ranges = []
    for size in layout.shape:
        start = draw.below(size - 2)
        ranges.append((start, draw.between(start + 2, size - 1), draw.between(1, 2)))
    text = ", ".join(f"{a}:{b}:{s}" if s > 1 else f"{a}:{b}" for a, b, s in ranges)
    (_, end_h, _), (_, end_w, _) = ranges
    wrong = (
        Wrong(
            "end_included",
            _cells(layout, [range(a, b + 1, s) for a, b, s in ranges]),
            f"You read the end too. h {end_h} and w {end_w} are where the slice stops.",
        ),
        Wrong(
            "step_forgotten",
            _cells(layout, [range(a, b) for a, b, _ in ranges]),
            "You read every cell between start and end. A step of 2 takes every second one.",
        ),
        Wrong(
            "end_for_count",
            _cells(layout, [range(a, a + b * s, s) for a, b, s in ranges]),
            "You took the number after the colon for a count. It is the index where to stop.",
        ),
    )
    right = tuple(sorted(index_expression(layout, text).flat_offsets().tolist()))
    return _question(layout, f"x[{text}] reads", right, wrong, {"index": text}, ranges)


def _window(draw: Draw, layout: Layout, level: int) -> Question:
    ranges: list[Range] = []
    for size in layout.shape:
        length = draw.between(2, size - 1)
        stride = draw.between(1, 2) * (draw.pick((1, -1)) if level == 3 else 1)
        ranges.append((draw.below(size - length + 1), length, stride))
    offsets, sizes, strides = (list(each) for each in zip(*ranges, strict=True))
    right = tuple(sorted(window(layout, offsets, sizes, strides).flat_offsets().tolist()))
    wrong = [
        Wrong(
            "size_for_end",
            _cells(layout, [range(o, n, abs(s)) for o, n, s in ranges]),
            "You took the window size for the end. The window ends so many indices after its "
            "window offset.",
        ),
        Wrong(
            "step_forgotten",
            _cells(layout, [range(o, o + n) for o, n, _ in ranges]),
            "That is the whole window. A window stride of 2 takes every second of its cells.",
        ),
    ]
    if level == 3:
        wrong[:1] = [
            Wrong(
                "from_the_start",
                _cells(layout, [range(o, o + n, abs(s)) for o, n, s in ranges]),
                "You began at the window offset. A negative window stride begins at the window's "
                "last cell.",
            ),
            Wrong(
                "offset_alone",
                _cells(
                    layout, [range(o, o + n, s) if s > 0 else range(o, -1, s) for o, n, s in ranges]
                ),
                "You went back from the window offset to index 0. The window lies behind it: its "
                "last index is window offset + window size - 1.",
            ),
        ]
    given = f"window offsets {offsets}, window sizes {sizes} and window strides {strides}"
    what = f"DirectML reads with {given}"
    about = {"offsets": offsets, "sizes": sizes, "strides": strides}
    ends = [(o, o + n, s) for o, n, s in ranges]
    return _question(layout, what, right, wrong, about, ends)


def _question(
    layout: Layout,
    what: str,
    right: tuple[int, ...],
    wrong: Iterable[Wrong],
    about: Mapping[str, object],
    ranges: list[Range],
) -> Question:
    taken = [
        ", ".join(str(i) for i in (range(a, b, s) if s > 0 else range(b - 1, a - 1, s)))
        for a, b, s in ranges
    ]
    (first, _, step), _ = ranges
    begin = f"at {first}" if step > 0 else "at the last index of the window"
    return Question(
        kind="cells",
        prompt=f"Mark the cells that {what}. Rows are h, columns w.",
        expected=right,
        wrong=tuple(wrong),
        hints=(
            f"Find the rows first: h begins {begin} and goes on by {abs(step)}.",
            "Find the columns in the same way. The slice reads where such rows and columns cross.",
        ),
        explanation=f"h takes {taken[0]}; w takes {taken[1]}.",
        tensors=(Exhibit(layout, "HW", shows="tensor"),),
        about=about,
    )


def _cells(layout: Layout, taken: list[range]) -> tuple[int, ...]:
    """The addresses of the rows and columns that a wrong model takes, as far as there are any."""
    rows, columns = (
        [i for i in each if 0 <= i < n] for each, n in zip(taken, layout.shape, strict=True)
    )
    return tuple(sorted(address_of(layout, (h, w)) for h in rows for w in columns))


LESSON = Lesson("windows", "Slices and windows", 4, _TEXT, _ask)
