"""A whole picture: title, grids one below the other, legend, caption."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, repeat
from textwrap import wrap
from typing import Final, Literal

from ..engine.description.tensor import Tensor
from ..engine.model.layout import Layout
from .cells import UNITS, Look, Painting, Together
from .colours import CATEGORIES, FADED, MIDDLE, SHADES, THEMES, Palette, hexadecimal, palette
from .drawing import logical, memory, vacant_colour
from .edges import grouped
from .frame import LABEL, WIDTH, Brush
from .grids import shared_row_length
from .scene import Grid, Marks, Place, Scene, Text
from .svg import text_width
from .values import short_number

Grids = Literal["both", "logical", "memory"]
VIEWS: Final = ("both", "logical", "memory")
_MARGIN, _GAP, _SIGN = 16, 26, 15
_SANS_CHARACTER, _MONO_CHARACTER = 6.75, 7.2  # pixels of 11 and 12 pixels' fonts, at most
_LEAST_WIDTH: Final = 420
_LINE: Final = 64
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
    "value": "values",
    "address": "addresses",
    "coords": "coordinates",
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
    uppers, lowers = _together(asked) if asked.beside else _alone(asked)
    painting = lowers[0].painting
    uppers = uppers if asked.view != "memory" else []
    lowers = lowers if asked.view != "logical" else []
    brush = Brush(THEMES[asked.theme], len(uppers) + len(lowers), asked.chosen, set())
    if asked.look.taken is not None or asked.shown is not None:
        brush.seen.add("beyond" if asked.look.taken is None else "faded")
    y, right = _MARGIN + 14, 0
    title = asked.title or _title(asked)
    parts: list[Grid | Marks | Text] = []
    parts.append(Text(_MARGIN, y, title, brush.colour("text"), 15, mono=False, bold=True))
    for at, one in enumerate((*uppers, *lowers)):
        y += _GAP
        parts += _heading(brush, y, one)
        if at < len(uppers):
            grid = logical(one.painting, brush, y + 4)
        else:
            grid = memory(one.painting, brush, y + 4, columns_of(asked), kept=one.kept)
        parts.append(grid)
        y, right = grid.bottom, max(right, grid.right)
    y += _GAP
    ends = (_end(one) + _MARGIN for one in parts if isinstance(one, Text))
    width = max(right + _MARGIN, _LEAST_WIDTH, *ends)
    legend, y = _legend(painting, brush, parts, y, width)
    parts += legend
    caption = " ".join(asked.caption.split())
    most = int((width - 2 * _MARGIN) / _MONO_CHARACTER)
    for line in wrap(caption, most, break_long_words=False, break_on_hyphens=False):
        y += 16
        parts.append(Text(_MARGIN, y, line, brush.colour("muted"), 12, mono=False))
    ground = brush.colour("background")
    return Scene(width, y + _MARGIN, title, about(asked), ground, tuple(parts))


@dataclass(frozen=True, slots=True)
class _Titled:
    """A grid of a picture: the bold and the other words above it, how it is painted.

    ``kept``: the layout beside a memory, see ``memory``.
    """

    name: str
    words: str
    painting: Painting
    kept: Layout | None = None


def _upper(name: str, painting: Painting) -> _Titled:
    layout = painting.shown
    return _Titled(name, f"{' '.join(layout.dims).lower()} · {sizes_text(layout.shape)}", painting)


def _alone(asked: Picture) -> tuple[list[_Titled], list[_Titled]]:
    """The logical tensor; its memory, and that of the second layout."""
    tensor, other = asked.tensor, asked.other
    painting = Painting(tensor.layout, tensor.buffer_elements, asked.look, asked.shown)
    name = "Memory" if other is None else "Memory A"
    lowers = [_Titled(name, _in_memory(layout_text(tensor), tensor.buffer_elements), painting)]
    if other is not None:
        like = replace(asked.look, like=tensor.layout, item_bits=other.dtype.bits)
        beside = Painting(other.layout, other.buffer_elements, like, asked.other_shown)
        words = _in_memory(layout_text(other), other.buffer_elements)
        lowers.append(_Titled("Memory B", words, beside, tensor.layout))
    return [_upper("Logical tensor", painting)], lowers


def _together(asked: Picture) -> tuple[list[_Titled], list[_Titled]]:
    """Tensors of one memory: a grid for each, and who owns which address."""
    named = _named(asked)
    buffer = max(one.buffer_elements for _, one in named)
    uppers = []
    for name, tensor in named:
        # A slice is one of the first tensor.
        look = asked.look if tensor is asked.tensor else replace(asked.look, taken=None)
        own = Painting(tensor.layout, tensor.buffer_elements, look)
        uppers.append(_upper(f"Logical tensor {name}", own))
    painting = Together([one.layout for _, one in named], _NAMES[: len(named)], buffer)
    return uppers, [_Titled("Memory of all", _in_memory("", buffer), painting)]


def _named(asked: Picture) -> list[tuple[str, Tensor]]:
    return list(zip(_NAMES, (asked.tensor, *asked.beside), strict=False))


def _title(asked: Picture) -> str:
    if asked.beside:
        return " and ".join(f"{name}: {said(one)}" for name, one in _named(asked))
    return said(asked.tensor, asked.steps)


def _in_memory(layout: str, buffer: int) -> str:
    return " · ".join(filter(None, (layout, f"{grouped(buffer)} addresses")))


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


def columns_of(asked: Picture) -> int:
    """Addresses in a row, the same in A and B."""
    tensor = asked.tensor
    both = [(one.layout, max(1, one.buffer_elements)) for one in (tensor, asked.other) if one]
    most = max(buffer for _, buffer in both)
    if asked.row == "line":
        return min(max(1, _LINE * 8 // tensor.dtype.bits), most)
    if asked.row is not None:
        return min(asked.row, most)
    return shared_row_length(both[0], both[-1])


def _heading(brush: Brush, y: int, shown: _Titled) -> Iterator[Text]:
    yield Text(_MARGIN, y, shown.name, brush.colour("text"), 12, mono=False, bold=True)
    x = _MARGIN + len(shown.name) * _MONO_CHARACTER + 12
    yield Text(x, y, shown.words, brush.colour("muted"), 11)


def _end(text: Text) -> int:
    """Where words end at the most, as far as a picture grows for them."""
    wide = text_width(text.text, text.size, wide=text.mono or text.bold)
    return min(WIDTH, round(text.x + wide))


def _legend(
    painting: Painting, brush: Brush, drawn: Sequence[object], y: int, width: int
) -> tuple[list[Marks | Text], int]:
    """The scale of colours and the meaning of each mark that was drawn; its lower end."""
    entries = [_scale(painting, brush)]
    if any(isinstance(one, Grid) and any(cell.text for cell in one.cells) for one in drawn):
        entries.append(([], _TEXT_WORDS[painting.text]))
    for name, meaning in _SIGNS.items():
        if name in brush.seen:
            entries.append(([partial(_sign, name, painting, brush)], meaning))
    parts: list[Marks | Text] = []
    x = float(_MARGIN)
    for signs, words in entries:
        lead = len(signs) * _SIGN + 6 if signs else 0
        wide = lead + len(words) * _SANS_CHARACTER
        if x > _MARGIN and x + wide > width - _MARGIN:
            x, y = _MARGIN, y + _SIGN + 8
        for at, sign in enumerate(signs):
            parts += sign((round(x) + at * _SIGN, y))
        parts.append(Text(x + lead, y + 11, words, brush.colour("muted"), LABEL, mono=False))
        x += wide + 18
    return parts, y + _SIGN


_Sign = Callable[[Place], Iterator[Marks | Text]]


def _scale(painting: Painting, brush: Brush) -> tuple[list[_Sign], str]:
    """The places of the scale, and its words."""
    scheme, layout = painting.scheme, painting.layout
    of = palette(painting.scale, brush.theme)

    def swatches(entries: Iterable[int], texts: Iterable[str]) -> list[_Sign]:
        return [
            partial(_swatch, of, entry, text) for entry, text in zip(entries, texts, strict=False)
        ]

    if painting.text == "tensors":
        return [], "by tensor"
    middles = range(MIDDLE, CATEGORIES * SHADES, SHADES)
    if unit := UNITS.get(painting.look.colour):
        return swatches(middles, repeat("")), f"by {unit} of {painting.look.unit_bytes} B"
    name = layout.dims[scheme.dim].lower() if scheme.dim >= 0 else ""
    if scheme.ends is None:
        present = 1 if painting.repeats[scheme.dim] else layout.shape[scheme.dim]
        varied = [layout.dims[d].lower() for d, weight in enumerate(scheme.light) if weight]
        darker = f", darker along {', '.join(varied)}" if varied else ""
        return swatches(middles[:present], map(str, count())), f"by {name}{darker}"
    shades = (at * (SHADES - 1) // 8 for at in range(9))
    if painting.value_ends is not None:
        low, high = map(short_number, painting.value_ends)
        return swatches(shades, repeat("")), f"by value, {low} to {high}"
    low, high = map(grouped, scheme.ends)
    along = f"by {name}" if name else "by place, row-major"
    return swatches(shades, repeat("")), f"{along}, {low} to {high}"


def _swatch(of: Palette, entry: int, text: str, place: Place) -> Iterator[Marks | Text]:
    left, top = place
    yield Marks("fill", hexadecimal(of.fills.item(entry)), "", _SIGN - 1, (place,))
    middle = left + (_SIGN - 1) / 2
    yield Text(middle, top + 10.5, text, hexadecimal(of.inks.item(entry)), 9, "middle")


def _sign(sign: str, painting: Painting, brush: Brush, place: Place) -> Iterator[Marks]:
    of, side = palette(painting.scale, brush.theme), _SIGN - 1
    if sign in {"hatch", "cross"}:
        yield Marks("fill", hexadecimal(vacant_colour(brush.theme, sign)), "", side, (place,))
    elif sign != "gap":
        entry = MIDDLE + (FADED if sign in _PALE else 0)
        yield Marks("fill", hexadecimal(of.fills.item(entry)), "", side, (place,))
    if sign not in _PALE:
        yield brush.marks(sign, side, (place,))
