"""A whole picture: title, grids one below the other, legend, caption."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from ..engine.description.tensor import Tensor
from ..engine.model.layout import Layout
from .cells import UNITS, Below, Look, Painting, Together, View
from .colours import CATEGORIES, FADED, MIDDLE, SHADES, THEMES, hexadecimal, palette
from .drawing import logical, memory, vacant_colour
from .edges import grouped
from .frame import LABEL, WIDTH, Brush
from .grids import shared_row_length
from .scene import Grid, Marks, Scene, Text
from .xml import text_width

Grids = Literal["both", "logical", "memory"]
VIEWS: Final = ("both", "logical", "memory")
_MARGIN, _GAP, _SIGN = 16, 26, 15
_SANS_CHARACTER, _MONO_CHARACTER = 6.75, 7.2  # pixels of 11 and 12 pixels' fonts, at most
_LEAST_WIDTH: Final = 420
_LINE: Final = 64
_MOST_TEXT: Final = 400  # characters of a title or a caption
_SIGNS: Final = {
    "hatch": "padding",
    "gap": "gap",
    "shared": "shared by several",
    "kept": "same in A and B",
    "cross": "not decided",
    "line": "cache line, 64 B",
    "edge": "another begins",
    "faded": "outside the slice",
    "beyond": "outside the view",
    "frame": "chosen",
}
_PALE: Final = {"faded", "beyond"}
_NAMES: Final = "xyzuvw"  # of tensors in one memory
_TEXT_WORDS: Final = {
    "tensors": "tensors that own it",
    "letter": "letters, row-major",
    "linear": "numbers, row-major",
    "address": "addresses",
    "coords": "coordinates",
}
_UNIT_WORDS: Final = {
    "@line": "by cache line of 64 B",
    "@page": "by page of 4096 B",
    "@sector": "by sector of 32 B",
    "@bank": "by bank of 4 B",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """What a picture shows.

    ``row``: addresses in a row of memory, ``line`` for a cache line, None for the page's own
    choice. ``chosen``: the coordinate that is framed. ``other``: a second layout of the tensor,
    whose memory is drawn below. ``title``, ``caption``: the reader's words, above and below.
    ``beside``: further tensors in the same memory, from the same address 0, each with a logical
    grid of its own; then the look is that of ``x``, ``y``, …, and there is no ``other``.
    ``shown``, ``other_shown``: views of ``tensor`` and ``other``, as ``steps`` makes them: the
    logical grid is then the view's, in the colours of the memory, and slice and choice are of it.
    """

    tensor: Tensor
    view: Grids = "both"
    look: Look = field(default_factory=Look)
    theme: str = "light"
    row: int | Literal["line"] | None = None
    chosen: tuple[int, ...] | None = None
    other: Tensor | None = None
    title: str = ""
    caption: str = ""
    beside: tuple[Tensor, ...] = ()
    shown: Layout | None = None
    other_shown: Layout | None = None
    steps: str = ""


def composed(asked: Picture) -> Scene:
    """The picture, of any tensor, as parts."""
    if asked.beside:
        return _together(asked)
    tensor, look = asked.tensor, asked.look
    views = ("logical", "memory") if asked.view == "both" else (asked.view,)
    shares = len(views) + (asked.other is not None and "memory" in views)
    brush = Brush(THEMES[asked.theme], shares, asked.chosen, set())
    if look.taken is not None or asked.shown is not None:
        brush.seen.add("beyond" if look.taken is None else "faded")
    painting, stored = _paintings(tensor, look, asked.shown)
    parts: list[Grid | Marks | Text] = []
    title = asked.title[:_MOST_TEXT] or said(tensor, asked.steps)
    y, right = _MARGIN + 14, 0
    parts.append(Text(_MARGIN, y, title, brush.colour("text"), 15, mono=False, bold=True))
    if "logical" in views:
        y += _GAP
        shown = painting.layout
        words = f"{' '.join(shown.dims).lower()} · {sizes_text(shown.shape)}"
        parts += _heading(brush, y, "Logical tensor", words)
        grid, (end, y) = logical(painting, brush, y + 4)
        parts.append(grid)
        right = max(right, end)
    if "memory" in views:
        columns = _columns(asked)
        for name, own, one, beside in _memories(asked, stored):
            y += _GAP
            words = f"{layout_text(one)} · {grouped(one.buffer_elements)} addresses"
            parts += _heading(brush, y, name, words)
            grid, (end, y) = memory(own, brush, y + 4, columns, kept=beside)
            parts.append(grid)
            right = max(right, end)
    return _finished(asked, brush, stored, parts, y, right)


def _together(asked: Picture) -> Scene:
    """Tensors of one memory: a grid for each, and who owns which address."""
    tensors = (asked.tensor, *asked.beside)[: len(_NAMES)]
    named = list(zip(_NAMES, tensors, strict=False))
    views = ("logical", "memory") if asked.view == "both" else (asked.view,)
    shares = len(tensors) * ("logical" in views) + ("memory" in views)
    brush = Brush(THEMES[asked.theme], shares, None, set())
    title = asked.title[:_MOST_TEXT] or " and ".join(f"{name}: {said(one)}" for name, one in named)
    y, right = _MARGIN + 14, 0
    parts: list[Grid | Marks | Text] = []
    parts.append(Text(_MARGIN, y, title, brush.colour("text"), 15, mono=False, bold=True))
    for name, tensor in named if "logical" in views else ():
        y += _GAP
        words = f"{' '.join(tensor.layout.dims).lower()} · {sizes_text(tensor.layout.shape)}"
        parts += _heading(brush, y, f"Logical tensor {name}", words)
        own = Painting(tensor.layout, tensor.buffer_elements, asked.look)
        grid, (end, y) = logical(own, brush, y + 4)
        parts.append(grid)
        right = max(right, end)
    buffer = max(one.buffer_elements for one in tensors)
    painting = Together([one.layout for one in tensors], _NAMES[: len(tensors)], buffer)
    if "memory" in views:
        y += _GAP
        parts += _heading(brush, y, "Memory of all", f"{grouped(buffer)} addresses")
        grid, (end, y) = memory(painting, brush, y + 4, _columns(asked))
        parts.append(grid)
        right = max(right, end)
    return _finished(asked, brush, painting, parts, y, right)


def _finished(
    asked: Picture,
    brush: Brush,
    painting: Painting,
    parts: list[Grid | Marks | Text],
    y: int,
    right: int,
) -> Scene:
    """The picture of grids that end at ``y`` and ``right``, with its legend and caption."""
    title = parts[0].text if isinstance(parts[0], Text) else ""
    y += _GAP
    width = max(
        right + _MARGIN,
        _LEAST_WIDTH,
        *(_end(one) + _MARGIN for one in parts if isinstance(one, Text)),
    )
    legend, y = _legend(painting, brush, parts, y, width)
    parts += legend
    for line in _wrapped(asked.caption[:_MOST_TEXT], width - 2 * _MARGIN):
        y += 16
        parts.append(Text(_MARGIN, y, line, brush.colour("muted"), 12, mono=False))
    ground = brush.colour("background")
    return Scene(width, y + _MARGIN, title, about(asked), ground, tuple(parts))


def said(tensor: Tensor, steps: str = "") -> str:
    """A tensor in a few words: its layout, sizes and type, and the steps that make a view of it."""
    words = (layout_text(tensor), sizes_text(tensor.layout.shape), tensor.dtype.name, steps)
    return " · ".join(filter(None, words))


def layout_text(tensor: Tensor) -> str:
    """The layout as it was written, or its strides."""
    source = tensor.source
    return source.strip() if isinstance(source, str) else str(tensor.layout)


def sizes_text(shape: tuple[int, ...]) -> str:
    """Sizes as ``2 × 64 × 3 × 3``."""
    return " × ".join(map(grouped, shape)) or "one element"


def about(asked: Picture) -> str:
    """What the picture shows, for who does not see it."""
    tensor = asked.tensor
    layout = tensor.layout
    shown = {
        "both": "The logical tensor above its memory",
        "logical": "The logical tensor",
        "memory": "The memory",
    }
    vacant = tensor.buffer_elements - layout.elements
    beyond = f", {vacant} of them padding or gaps" if vacant > 0 else ""
    count = f"{layout.elements} elements in {tensor.buffer_elements} addresses{beyond}"
    beside = f" Below it the same tensor as {layout_text(asked.other)}." if asked.other else ""
    if asked.shown is not None:
        beside += f" Shown is the view {asked.steps}, shape {sizes_text(asked.shown.shape)}."
    chosen = ""
    if asked.chosen is not None:
        chosen = f" The element at {', '.join(map(str, asked.chosen))} is framed."
    return (
        f"{shown[asked.view]} of {layout_text(tensor)}, shape {sizes_text(layout.shape)}, "
        f"{tensor.dtype.name}: {count}.{beside}{chosen}"
    )


def _memories(
    asked: Picture, stored: Painting
) -> Iterator[tuple[str, Painting, Tensor, Layout | None]]:
    """Each memory: its name, how it is painted, its tensor, the layout beside it."""
    other = asked.other
    if other is None:
        yield "Memory", stored, asked.tensor, None
        return
    yield "Memory A", stored, asked.tensor, None
    like = replace(asked.look, like=asked.tensor.layout, item_bits=other.dtype.bits)
    yield "Memory B", _paintings(other, like, asked.other_shown)[1], other, asked.tensor.layout


def _paintings(tensor: Tensor, look: Look, shown: Layout | None) -> tuple[Painting, Painting]:
    """How the logical tensor is painted, and the memory."""
    if shown is None:
        plain = Painting(tensor.layout, tensor.buffer_elements, look)
        return plain, plain
    stored = Painting(tensor.layout, tensor.buffer_elements, replace(look, taken=None))
    view = View(stored, shown, look.taken)
    return view, Below(stored, view)


def _columns(asked: Picture) -> int:
    """Addresses in a row, the same in A and B."""
    tensor = asked.tensor
    both = [(one.layout, max(1, one.buffer_elements)) for one in (tensor, asked.other) if one]
    most = max(buffer for _, buffer in both)
    if asked.row == "line":
        return min(max(1, _LINE * 8 // tensor.dtype.bits), most)
    if asked.row is not None:
        return min(asked.row, most)
    return shared_row_length(both[0], both[-1])


def _heading(brush: Brush, y: int, name: str, words: str) -> Iterator[Text]:
    yield Text(_MARGIN, y, name, brush.colour("text"), 12, mono=False, bold=True)
    x = _MARGIN + len(name) * 7.2 + 12
    yield Text(x, y, words, brush.colour("muted"), 11)


def _end(text: Text) -> int:
    """Where words end at the most, as far as a picture grows for them."""
    wide = text_width(text.text, text.size, wide=text.mono or text.bold)
    return min(WIDTH, round(text.x + wide))


def _legend(
    painting: Painting, brush: Brush, drawn: Sequence[object], y: int, width: int
) -> tuple[list[Marks | Text], int]:
    """The scale of colours and the meaning of each mark that was drawn; its lower end."""
    parts: list[Marks | Text] = []
    x = float(_MARGIN)

    def room(pixels: float) -> None:
        nonlocal x, y
        if x > _MARGIN and x + pixels > width - _MARGIN:
            x, y = _MARGIN, y + _SIGN + 8

    scale, words = _scale(painting, brush)
    room(len(scale) * _SIGN + len(words) * _SANS_CHARACTER)
    for at, (colour, ink, text) in enumerate(scale):
        left = round(x) + at * _SIGN
        parts.append(Marks("fill", colour, "", _SIGN - 1, ((left, y),)))
        centre = left + (_SIGN - 1) / 2
        parts.append(Text(centre, y + 10.5, text, ink, 9, "middle"))
    x += len(scale) * _SIGN + 6
    parts.append(Text(x, y + 11, words, brush.colour("muted"), LABEL, mono=False))
    x += len(words) * _SANS_CHARACTER + 18
    if any(isinstance(one, Grid) and any(cell.text for cell in one.cells) for one in drawn):
        words = _TEXT_WORDS[painting.text]
        room(len(words) * _SANS_CHARACTER)
        parts.append(Text(x, y + 11, words, brush.colour("muted"), LABEL, mono=False))
        x += len(words) * _SANS_CHARACTER + 18
    for sign, meaning in _SIGNS.items():
        if sign not in brush.seen:
            continue
        room(_SIGN + 6 + len(meaning) * _SANS_CHARACTER)
        parts += _sign(sign, painting, brush, (round(x), y))
        parts.append(Text(x + _SIGN + 6, y + 11, meaning, brush.colour("muted"), LABEL, mono=False))
        x += _SIGN + 6 + len(meaning) * _SANS_CHARACTER + 18
    return parts, y + _SIGN


def _scale(painting: Painting, brush: Brush) -> tuple[list[tuple[str, str, str]], str]:
    """Fill, ink and text of each place of the scale, and its words."""
    scheme, layout = painting.scheme, painting.layout
    of = palette(painting.scale, brush.theme)

    def place(entry: int, text: str) -> tuple[str, str, str]:
        return hexadecimal(of.fills[entry]), hexadecimal(of.inks[entry]), text

    if painting.text == "tensors":
        return [], "by tensor"
    if painting.look.colour in UNITS:
        listed = [place(at * SHADES + MIDDLE, "") for at in range(CATEGORIES)]
        return listed, _UNIT_WORDS[painting.look.colour]
    name = layout.dims[scheme.dim].lower() if scheme.dim >= 0 else ""
    if scheme.ends is None:
        present = 1 if painting.repeats[scheme.dim] else min(CATEGORIES, layout.shape[scheme.dim])
        listed = [place(at * SHADES + MIDDLE, str(at)) for at in range(present)]
        varied = [layout.dims[d].lower() for d, weight in enumerate(scheme.light) if weight]
        darker = f", darker along {', '.join(varied)}" if varied else ""
        return listed, f"by {name}{darker}"
    low, high = scheme.ends
    listed = [place(at * (SHADES - 1) // 8, "") for at in range(9)]
    along = f"by {name}" if name else "by place, row-major"
    return listed, f"{along}, {grouped(low)} to {grouped(high)}"


def _sign(sign: str, painting: Painting, brush: Brush, place: tuple[int, int]) -> Iterator[Marks]:
    of = palette(painting.scale, brush.theme)
    side = _SIGN - 1
    if sign in {"hatch", "cross"}:
        yield Marks("fill", vacant_colour(brush.theme, sign), "", side, (place,))
    elif sign != "gap":
        entry = MIDDLE + (FADED if sign in _PALE else 0)
        yield Marks("fill", hexadecimal(of.fills[entry]), "", side, (place,))
    colour = {"hatch": "hatch", "gap": "muted", "cross": "muted", "frame": "select"}
    back = "line" if sign == "gap" else "background"
    if sign not in _PALE:
        mark = brush.colour(colour.get(sign, "text"))
        yield Marks(sign, mark, brush.colour(back), side, (place,))


def _wrapped(text: str, width: float) -> Iterator[str]:
    line = ""
    for word in text.split():
        if line and (len(line) + len(word) + 1) * _MONO_CHARACTER > width:
            yield line
            line = ""
        line = f"{line} {word}".strip()
    if line:
        yield line
