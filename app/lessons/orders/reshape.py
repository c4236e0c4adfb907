"""Reshape: when is it a view, and when does it need a copy?"""

from collections import defaultdict

from ...engine import Layout, parse_layout
from ...engine.model.views import NeedsCopy, reshape
from ...engine.notation.view_steps import permute
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question, Wrong
from ..sums import strides_text

_TEXT = (
    "A reshape keeps the elements in reading order and only groups them anew. "
    "It is a view if every new dimension can have one stride. Splitting a dimension always works; "
    "merging two works if the outer one's stride is the inner one's size times its stride."
)


def _ask(draw: Draw, level: int) -> Question:
    layout, about = _strided(draw) if level == 1 else _permuted(draw, level)
    shape = layout.shape
    candidates = {(layout.elements,), (*shape[:-2], shape[-2] * shape[-1]), shape[::-1]}
    if level == 3:
        candidates.add((shape[0] * shape[1], shape[2]))
    for d, size in enumerate(shape):
        if size % 2 == 0 and size > 2:
            candidates.add((*shape[:d], size // 2, 2, *shape[d + 1 :]))
    chosen = draw.shuffled(sorted(candidates))[:4]
    results = {str(sizes): reshape(layout, sizes) for sizes in chosen}
    right = tuple(text for text, found in results.items() if isinstance(found, Layout))
    copies: defaultdict[str, list[str]] = defaultdict(list)  # shapes, by why they need one
    for text, found in results.items():
        if isinstance(found, NeedsCopy):
            copies[found.reason.lower()].append(text)
    reasons = "\n".join(f"{', '.join(texts)}: {why}" for why, texts in copies.items())
    turned = str(shape[::-1])
    wrong = [
        Wrong(
            "always",
            tuple(results),
            "Not each of them: a merged dimension would need two strides at once.",
        ),
        Wrong(
            "must_be_contiguous",
            (),
            "Memory need not be in reading order for that: one dimension can always be split.",
        ),
    ]
    if turned in results and turned not in right and {turned, *right} != {*results}:
        said = f"{turned} is the shape of a transposed x. A reshape keeps the reading order of x."
        wrong.append(Wrong("transposed", tuple(t for t in results if t in {turned, *right}), said))
    return Question(
        kind="several",
        prompt=f"x has shape {shape} and strides {layout.strides}. Which reshapes of x are views, "
        "so that nothing is copied?",
        expected=right,
        wrong=wrong,
        hints=(
            "For each new shape: which old dimensions are merged, which are split?",
            f"The strides are {strides_text(layout)}. Two neighbours merge if the outer stride is "
            "the inner size times the inner stride.",
        ),
        explanation=f"Views: {', '.join(right) or 'none'}.\n{reasons}".strip(),
        tensors=(Exhibit(layout, shows="both" if level == 1 else "tensor"),),
        choices=tuple(results),
        about=about,
    )


def _strided(draw: Draw) -> tuple[Layout, dict[str, object]]:
    """Rows with a gap behind each."""
    height, width = draw.pick(((2, 4), (4, 6), (2, 6), (4, 2), (6, 4), (3, 4), (4, 5)))
    return Layout.strided((height, width), (width + draw.between(1, 3), 1)), {}


def _permuted(draw: Draw, level: int) -> tuple[Layout, dict[str, object]]:
    """A transposed grid, or a permuted tensor of three dimensions."""
    shape = draw.sizes(level, 2, 6, most=48)
    order = (1, 0) if level == 2 else draw.pick(((1, 0, 2), (2, 0, 1), (1, 2, 0), (0, 2, 1)))
    layout = permute(parse_layout("HW" if level == 2 else "CHW", shape), order)
    return Layout.strided(layout.shape, layout.strides or ()), {"order": order}


LESSON = Lesson("reshape", "Is this reshape a view?", 4, _TEXT, _ask)
