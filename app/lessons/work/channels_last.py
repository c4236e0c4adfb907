"""Where channels_last is lost: what PyTorch's operators do to the order in memory."""

from collections.abc import Sequence
from typing import Any, Final

from ...engine import parse_dtype, parse_layout
from ...engine.description.properties import properties
from ...engine.network import Graph, GraphTensor, NodeSource, propagate
from ..draw import Draw
from ..lesson import Exhibit, Lesson, Question, Wrong

_TEXT = (
    "PyTorch calls NHWC memory channels_last: only the strides change, the shape stays n, c, h, w. "
    "Element-wise operators (relu, sigmoid, +) and pooling (max_pool2d) follow the order of their "
    "first operand; contiguous(), softmax and a reshape that must copy lose it. "
    "A later operator that wants it back pays for a copy."
)
_NOWHERE: Final = "It stays channels_last"
# What level 2 needs to know beside: each of its programs adds y and groups h and w.
_OF_TWO: Final = (
    " y is contiguous, in NCHW. flatten(d) merges dimensions from d on, unflatten splits them."
)
_TYPE: Final = parse_dtype("float32")
# What a step says, and its nodes: operator, operands beside the running tensor, attributes.
Step = tuple[str, tuple[tuple[str, tuple[str, ...], dict[str, Any]], ...]]


# The steps of which each believes that they alone lose the order; and what it is told.
_BELIEVED: Final = {
    "pooling": (("pool",), "Pooling follows the order of its operand."),
    "new_tensor": (
        ("relu", "sigmoid"),
        "An element-wise operator makes a new tensor, in the order of its operand.",
    ),
    "every_reshape": (
        ("pixels",),
        "Grouping h and w is a view here: in NHWC they follow each other.",
    ),
    "contiguous_wins": (("add_after",), "With two operands the first decides the order: here x."),
}
_STAYS: Final = 4  # one question in so many loses the order nowhere


def _steps(shape: Sequence[int]) -> dict[str, Step]:
    _, channels, height, width = shape
    pixels = {"dim": 2, "sizes": [height, width]}
    every = {"dim": 1, "sizes": [channels, height, width]}
    return {
        "relu": ("x = relu(x)", (("relu", ("x",), {}),)),
        "sigmoid": ("x = sigmoid(x)", (("sigmoid", ("x",), {}),)),
        "pool": ("x = max_pool2d(x, 1)", (("max_pool2d", ("x",), {"kernel_size": [1, 1]}),)),
        "contiguous": ("x = x.contiguous()", (("contiguous", ("x",), {}),)),
        "softmax": ("x = softmax(x, dim=1)", (("softmax", ("x",), {"dim": 1}),)),
        "add_after": ("x = x + y", (("add", ("x", "y"), {}),)),
        "add_before": ("x = y + x", (("add", ("y", "x"), {}),)),
        "pixels": (
            f"x = x.flatten(2).unflatten(2, ({height}, {width}))",
            (("flatten", ("x",), {"start_dim": 2}), ("unflatten", ("x",), pixels)),
        ),
        "all": (
            f"x = x.flatten(1).unflatten(1, ({channels}, {height}, {width}))",
            (("flatten", ("x",), {"start_dim": 1}), ("unflatten", ("x",), every)),
        ),
    }


def _ask(draw: Draw, level: int) -> Question:
    if level == 3:
        return _sizes_of_one(draw)
    shape = (2, *draw.sizes(3, 2, 5, most=30))
    known = _steps(shape)
    names = _names(draw, level)
    program = [known[name] for name in names]
    kept, reasons = _run(shape, program)
    lines = tuple(text for text, _ in program)
    wrong = [
        Wrong(code, lines[names.index(name)], said)
        for code, (believed, said) in _BELIEVED.items()
        for name in (each for each in names if each in believed)
    ]
    expected, explanation = _NOWHERE, f"Each of them keeps it. {' '.join(dict.fromkeys(reasons))}"
    if not all(kept):
        lost = kept.index(False)
        expected, explanation = lines[lost], f"{lines[lost]} loses it. {reasons[lost]}"
        said = "The shape is n, c, h, w all the time. The order in memory is another matter."
        wrong.insert(0, Wrong("shape_decides", _NOWHERE, said))
        told = {expected, *(each.computed for each in wrong)}
        late = (line for line in lines if line not in told)
        wrong += [Wrong("lost_before", line, "x has lost it before that.") for line in late]
    # Whatever loses the order here writes row-major: contiguous, softmax, a copy, and y + x.
    ends = "NHWC" if all(kept) else "NCHW"
    hints = (
        "Go through them one by one: which makes a new tensor, and in which order?",
        "With two operands, the first decides. A reshape is a view where the merged dimensions "
        "follow each other in memory; else it copies, in row-major order."
        if level == 2
        else "relu, sigmoid and pooling follow the order of their operand. Do the others?",
    )
    return Question(
        kind="choice",
        prompt=f"x is channels_last.{_OF_TWO if level == 2 else ''} "
        "Python executes all, from top to bottom. After which one is x no longer "
        "channels_last?",
        expected=expected,
        wrong=wrong,
        hints=hints,
        explanation=explanation,
        tensors=(
            Exhibit(parse_layout("NHWC", shape), "NHWC", shows="tensor"),
            Exhibit(parse_layout(ends, shape, "NCHW"), ends, shows="memory_after"),
        ),
        choices=(*lines, _NOWHERE),
        about={"steps": list(names)},
    )


def _names(draw: Draw, level: int) -> tuple[str, ...]:
    """Steps in an order; of some programs none loses channels_last."""
    stays = draw.below(_STAYS) == 0
    follow = draw.pick(("relu", "sigmoid"))
    if level == 1:
        other = ("relu", "sigmoid") if stays else (follow, draw.pick(("contiguous", "softmax")))
        return draw.shuffled(("pool", *other))
    one, two, *_ = draw.shuffled(("contiguous", "softmax", "add_before", "all"))
    others = ("pool", follow) if stays else (one, draw.pick((two, follow)))
    return draw.shuffled(("add_after", "pixels", *others))


def _run(shape: Sequence[int], program: Sequence[Step]) -> tuple[list[bool], list[str]]:
    """Whether x is channels_last each step, by the rules of eager PyTorch, and why."""
    inputs = {
        "x": GraphTensor(parse_layout("NHWC", shape), _TYPE, None, "NCHW"),
        "y": GraphTensor(parse_layout("NCHW", shape), _TYPE, None, "NCHW"),
    }
    nodes: list[NodeSource] = []
    ends: list[int] = []
    now = "x"
    for _, parts in program:
        for op, operands, attributes in parts:
            result = f"t{len(nodes)}"
            read = [now if each == "x" else each for each in operands]
            nodes.append(NodeSource(op, read, [result], attributes, None))
            now = result
        ends.append(len(nodes) - 1)
    graph = Graph.of(inputs=inputs, constants={}, nodes=nodes, outputs=None)
    found = propagate(graph, "pytorch-eager")
    reasons = [
        " ".join(dict.fromkeys(found.nodes[i].reason for i in range(start, end + 1)))
        for start, end in zip([0, *(end + 1 for end in ends)], ends, strict=False)
    ]
    layouts = [found.tensors[f"t{end}"].layout for end in ends]
    return [each is not None and properties(each).channels_last for each in layouts], reasons


def _sizes_of_one(draw: Draw) -> Question:
    """Which tensors count as channels_last, where a size of 1 lets two orders be the same."""
    sizes = draw.sizes(3, 2, 5, most=30)
    shapes = {
        "NHWC": (2, *sizes),
        "NCHW": draw.pick(((2, *sizes), (2, 1, *sizes[1:]), (2, sizes[0], 1, 1))),
        "NWHC": (2, *sizes[::-1]),
    }
    tensors = {name: parse_layout(name, shape, "NCHW") for name, shape in shapes.items()}
    plain = {**tensors, "NCHW": parse_layout("NCHW", draw.pick(((1, *sizes), (2, *sizes))), "NCHW")}
    layouts = draw.shuffled([*tensors.values(), plain["NCHW"]])
    texts = {f"{each.shape}, strides {each.strides}": each for each in layouts}
    facts = {text: properties(each) for text, each in texts.items()}
    right = tuple(text for text, each in facts.items() if each.channels_last)
    one = tuple(text for text, each in facts.items() if each.channels_last and not each.contiguous)
    dense = tuple(text for text, each in facts.items() if each.channels_last or not each.contiguous)
    wrong = (
        Wrong(
            "one_format_each",
            one,
            "A tensor can be contiguous too: where a size is 1, its stride is never used.",
        ),
        Wrong(
            "not_contiguous",
            dense,
            "Not each order but NCHW is channels_last: c must be 1, then w, h and n.",
        ),
    )
    both = (each for each in layouts if (of := properties(each)).channels_last and of.contiguous)
    return Question(
        kind="several",
        prompt="These are sizes and strides of n, c, h, w. A size of 1 does not count. "
        "Which of these tensors does PyTorch call channels_last?",
        expected=right,
        wrong=wrong,
        hints=(
            "Leave out the dimensions of size 1: nobody takes a step along them.",
            "Of those that are left, c must have stride 1, then w, then h, then n, "
            "without gaps between.",
        ),
        explanation="Sizes of 1 do not count. Of the others c must be innermost, then w, h and n.",
        tensors=(Exhibit(next(both, tensors["NHWC"]), shows="after"),),
        choices=tuple(texts),
        about={"tensors": [[each.shape, each.strides] for each in texts.values()]},
    )


LESSON = Lesson("channels-last", "Where channels_last is lost", 4, _TEXT, _ask)
