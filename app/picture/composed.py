"""A whole picture: title, grids one below the other, legend, caption; and its files."""

from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import Final, Literal

from ..engine.description.tensor import Tensor
from ..engine.description.text import memory_text, text_of
from ..engine.model.layout import Layout
from ..engine.notation.specs import Written
from .cells import UNITS, Look, Painting, Together
from .colours import (
    CATEGORIES,
    FADED,
    MIDDLE,
    SHADES,
    THEMES,
    VACANT,
    hexadecimal,
    palette,
    short_number,
    vacant_colour,
)
from .drawing import logical, memory
from .frame import LABEL, MARGIN, WIDTH, Brush, grouped
from .grids import row_length
from .png import png
from .scene import Grid, Marks, Scene, Text
from .svg import svg, text_width
from .tikz import tikz

Grids = Literal["both", "logical", "memory"]
VIEWS: Final = ("both", "logical", "memory")
_GAP, _SIGN = 26, 15
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
_SAMPLED: Final = "Too many cells to draw each: a pixel stands for several."
NAMES: Final = "xyzuvwst"  # of tensors in one memory
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

    @property
    def largest(self) -> Tensor:
        """Of the tensors in the first memory, that with the largest buffer."""
        return max((self.tensor, *self.beside), key=lambda one: one.buffer_elements)


@dataclass(frozen=True, slots=True)
class _Titled:
    """A grid of a picture: the bold and the other words above it, how it is painted.

    ``kept``: the layout beside a memory, see ``memory``.
    """

    name: str
    words: str
    painting: Painting
    kept: Layout | None = None


def composed(asked: Picture) -> Scene:
    """The picture, of any tensor, as parts."""
    uppers, lowers = _together(asked) if asked.beside else _alone(asked)
    rows = [columns_of(asked, one) for one in (asked.largest, asked.other) if one]
    painting = lowers[0].painting
    uppers = uppers if asked.view != "memory" else []
    lowers = lowers if asked.view != "logical" else []
    brush = Brush(THEMES[asked.theme], len(uppers) + len(lowers), asked.chosen, set())
    if asked.look.taken is not None or asked.shown is not None:
        brush.seen.add("beyond" if asked.look.taken is None else "faded")
    text, muted = brush.colour("text"), brush.colour("muted")
    y = MARGIN + 14
    title = asked.title or " and ".join(titles(asked))
    words = [Text(MARGIN, y, title, text, 15, mono=False, bold=True)]
    grids: list[Grid] = []
    for at, one in enumerate((*uppers, *lowers)):
        y += _GAP
        x = MARGIN + len(one.name) * _MONO_CHARACTER + 12
        words.append(Text(MARGIN, y, one.name, text, 12, mono=False, bold=True))
        words.append(Text(x, y, one.words, muted, 11))
        if at < len(uppers):
            grid = logical(one.painting, brush, y + 8)
        else:
            row = rows[at - len(uppers)]
            grid = memory(one.painting, brush, y + 8, row, one.kept)
        grids.append(grid)
        y = grid.bottom
    wide = (round(t.x + text_width(t.text, t.size, wide=t.mono or t.bold)) for t in words)
    ends = (min(WIDTH, end) + MARGIN for end in wide)  # longer ones are cut
    width = max(_LEAST_WIDTH, *ends, *(grid.right + MARGIN for grid in grids))
    written = any(cell.text for grid in grids for cell in grid.cells)
    legend, y = _legend(painting, brush, y + _GAP, width, written=written)
    parts = [*words, *grids, *legend]
    sampled = any(grid.below and not grid.cells and grid.side == 1 for grid in grids)
    caption = " ".join([*asked.caption.split(), *[_SAMPLED] * sampled])
    most = int((width - 2 * MARGIN) / _MONO_CHARACTER)
    for line in wrap(caption, most, break_long_words=False, break_on_hyphens=False):
        y += 16
        parts.append(Text(MARGIN, y, line, muted, 12, mono=False))
    ground = brush.colour("background")
    return Scene(width, y + MARGIN, title, about(asked), ground, tuple(parts))


def _upper(name: str, painting: Painting) -> _Titled:
    layout = painting.shown
    return _Titled(name, f"{' '.join(layout.dims).lower()} · {sizes_text(layout.shape)}", painting)


def _lower(name: str, layout: str, painting: Painting, kept: Layout | None = None) -> _Titled:
    addresses = f"{grouped(painting.buffer_elements)} addresses"
    return _Titled(name, " · ".join(filter(None, (layout, addresses))), painting, kept)


def _alone(asked: Picture) -> tuple[list[_Titled], list[_Titled]]:
    """The logical tensor; its memory, and that of the second layout."""
    tensor, other = asked.tensor, asked.other
    painting = Painting(tensor.layout, tensor.buffer_elements, asked.look, asked.shown)
    upper = _upper("Logical tensor", painting)
    if other is None:
        return [upper], [_lower("Memory", layout_text(tensor), painting)]
    like = replace(asked.look, like=tensor.layout, item_bits=other.dtype.bits)
    beside = Painting(other.layout, other.buffer_elements, like, asked.other_shown)
    lower = _lower("Memory A", layout_text(tensor), painting)
    return [upper], [lower, _lower("Memory B", layout_text(other), beside, tensor.layout)]


def _together(asked: Picture) -> tuple[list[_Titled], list[_Titled]]:
    """Tensors of one memory: a grid for each, and who owns which address."""
    every = (asked.tensor, *asked.beside)
    uppers = []
    for name, one in zip(NAMES, every, strict=False):
        # A slice is one of the first tensor.
        look = asked.look if one is asked.tensor else replace(asked.look, taken=None)
        painting = Painting(one.layout, one.buffer_elements, look)
        uppers.append(_upper(f"Logical tensor {name}", painting))
    buffer = max(one.buffer_elements for one in every)
    of_all = Together([one.layout for one in every], NAMES[: len(every)], buffer)
    return uppers, [_lower("Memory of all", "", of_all)]


def titles(asked: Picture) -> list[str]:
    """Each tensor of the memory in a few words, with a letter where there are several; with what
    it is compared."""
    words = [said(asked.tensor, asked.steps), *map(said, asked.beside)]
    if asked.other is not None:
        words[0] += f", beside {layout_text(asked.other)}"
    if not asked.beside:
        return words
    return [f"{name}: {each}" for name, each in zip(NAMES, words, strict=False)]


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


def columns_of(asked: Picture, tensor: Tensor) -> int:
    """Addresses in a row of a tensor's memory."""
    buffer = max(1, tensor.buffer_elements)
    if asked.row == "line":
        return min(max(1, _LINE * 8 // tensor.dtype.bits), buffer)
    return row_length(tensor.layout, buffer) if asked.row is None else min(asked.row, buffer)


def _legend(
    painting: Painting, brush: Brush, y: int, width: int, *, written: bool
) -> tuple[list[Marks | Text], int]:
    """The scale of colours and the meaning of each mark that was drawn; its lower end."""
    of, theme = palette(painting.scale, brush.theme), brush.theme
    swatches, words = _scale(painting)
    # Of each entry: places in the palette with a text, or a mark; what they mean.
    entries: list[tuple[list[tuple[int, str]], str, str]] = [(swatches, "", words)]
    if written:
        entries.append(([], "", _TEXT_WORDS[painting.text]))
    entries += [([], name, meaning) for name, meaning in _SIGNS.items() if name in brush.seen]
    parts: list[Marks | Text] = []
    x = MARGIN
    for signs, mark, meaning in entries:
        lead = (len(signs) or 1) * _SIGN + 6 if signs or mark else 0
        wide = lead + round(len(meaning) * _SANS_CHARACTER)
        if x > MARGIN and x + wide > width - MARGIN:
            x, y = MARGIN, y + _SIGN + 8
        for at, (entry, text) in enumerate(signs):
            left = x + at * _SIGN
            parts.append(_square(of.fills.item(entry), left, y))
            ink = hexadecimal(of.inks.item(entry))
            parts.append(Text(left + (_SIGN - 1) / 2, y + 10.5, text, ink, 9, "middle"))
        if mark in VACANT:
            parts.append(_square(vacant_colour(theme, mark), x, y))
        elif mark and mark != "gap":
            parts.append(_square(of.fills.item(MIDDLE + FADED * (mark in _PALE)), x, y))
        if mark and mark not in _PALE:
            parts.append(brush.marks(mark, _SIGN - 1, ((x, y),)))
        parts.append(Text(x + lead, y + 11, meaning, brush.colour("muted"), LABEL, mono=False))
        x += wide + 18
    return parts, y + _SIGN


def _square(word: int, x: int, y: int) -> Marks:
    return Marks("fill", hexadecimal(word), "", _SIGN - 1, ((x, y),))


def _scale(painting: Painting) -> tuple[list[tuple[int, str]], str]:
    """Places of the palette with a text for each, and what the scale says."""
    scheme, layout = painting.scheme, painting.layout
    middles = range(MIDDLE, CATEGORIES * SHADES, SHADES)
    if isinstance(painting, Together):
        return list(zip(middles, painting.names, strict=False)), "by the first that owns it"
    if unit := UNITS.get(painting.look.colour):
        return [(entry, "") for entry in middles], f"by {unit} of {painting.look.unit_bytes} B"
    name = layout.dims[scheme.dim].lower() if scheme.dim >= 0 else ""
    if scheme.ends is None:
        present = 1 if painting.repeats[scheme.dim] else layout.shape[scheme.dim]
        varied = [layout.dims[d].lower() for d, weight in enumerate(scheme.light) if weight]
        again = f", again after {CATEGORIES}" if present > CATEGORIES else ""
        darker = f", darker along {', '.join(varied)}" if varied else ""
        categories = [(entry, str(at)) for at, entry in enumerate(middles[:present])]
        return categories, f"by {name}{again}{darker}"
    shades = [(at * (SHADES - 1) // 8, "") for at in range(9)]
    if painting.value_ends is not None:
        low, high = map(short_number, painting.value_ends)
        return shades, f"by value, {low} to {high}"
    low, high = map(grouped, scheme.ends)
    return shades, f"by {name or 'place, row-major'}, {low} to {high}"


FORMATS: Final = ("svg", "png", "tex", "txt")
_MOST_PIXELS: Final = 1 << 24


def written(asked: Picture, form: str, scale: float = 1) -> bytes:
    """The file. ``form``: one of FORMATS; ``scale``: pixels of a PNG to one of the picture."""
    if form != "txt":
        scene = composed(asked)
        if form == "tex":
            return tikz(scene).encode()
        drawn = svg(scene)
        # A picture that would have too many pixels has as many as it may.
        most = (_MOST_PIXELS / (scene.width * scene.height)) ** 0.5
        return png(drawn, min(scale, most)) if form == "png" else drawn.encode()
    seen = (
        asked.tensor if asked.shown is None else replace(asked.tensor, written=Written(asked.shown))
    )
    chosen = asked.beside or asked.row is not None
    row = columns_of(asked, asked.largest) if chosen else None
    words, *more = titles(asked)
    lines = [asked.title or words, "", *text_of(seen, shows=asked.view, row=row)]
    for words, one in zip(more, asked.beside, strict=True):
        lines += ["", words, "", *text_of(one, shows=asked.view, row=row)]
    if asked.other is not None and asked.view != "logical":
        row = row and columns_of(asked, asked.other)
        lines += ["", said(asked.other), "", *memory_text(asked.other, row)]
    return "\n".join([*lines, *filter(None, [asked.caption]), ""]).encode(errors="replace")
