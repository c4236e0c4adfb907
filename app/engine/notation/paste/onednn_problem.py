"""Sizes of a primitive's tensors, from the description of the problem in a verbose line.

    problem = sizes as 1x64x56x56 (":" between operands) | letters with sizes, as mb1_ic64ih56iw56

Source: oneDNN src/common/verbose.cpp, the functions init_info_*, md2desc_str and md2dim_str; the
shapes of the operands are those of oneDNN's developer guide of each primitive.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_OPERANDS = re.compile(r"x?[0-9]+(?:x[0-9]+)*(?::[0-9]+(?:x[0-9]+)*)*", re.ASCII)
_LETTERED = re.compile(r"(?>_?[a-z]{1,4}[0-9]+(?:\.[0-9]+)?(?:e[-+][0-9]+)?)+", re.ASCII)
_LETTER = re.compile(r"([a-z]{1,4})([0-9]+)(\.[0-9]+)?", re.ASCII)
_MAX_DIGITS = 18
_GATES = {"vanilla_rnn": 1, "vanilla_lstm": 4}  # the others have three
_NAMED = re.compile(
    "(?:de)?convolution|pooling|(?:batch|group)_normalization|lrn|resampling|inner_product"
)

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LoggedOperand:
    """A tensor of the line: its name, which of that name it is, its rank, the mask of a bias."""

    name: str
    place: int
    rank: int
    mask: int | None

    @property
    def role(self) -> str:
        """The name without what marks a gradient: the shape is the same."""
        return "data" if self.name == "diff" else self.name.removeprefix("diff_")


@dataclass(frozen=True, slots=True)
class LoggedProblem:
    """The description of a primitive's problem, as operands' sizes or as letters with sizes."""

    primitive: str | None = None
    operands: tuple[Sizes, ...] = ()
    letters: Mapping[str, int] = field(default_factory=dict)
    auxiliary: Mapping[str, str] = field(default_factory=dict)

    def shape_of(self, operand: LoggedOperand) -> Sizes | None:
        """The sizes of a tensor; None if the line does not give them."""
        if self.operands:
            shape = _of_operands(self, operand)
        elif "slc" in self.letters:
            shape = _of_rnn(self, operand.role)
        elif "m" in self.letters:
            shape = _of_products(self.letters, operand)
        else:
            shape = _of_letters(self.letters, operand)
        return shape if shape is not None and len(shape) == operand.rank else None

    def dims_of(self, operand: LoggedOperand) -> str | None:
        """Letters of the dimensions, where the primitive gives them the usual meaning."""
        spatial = operand.rank - 2
        if not _NAMED.fullmatch(self.primitive or ""):
            return None
        if operand.role in {"src", "data", "dst", "ws"} and 0 <= spatial <= 3:
            return "NC" + "DHW"[3 - spatial :]
        if operand.role == "wei":
            grouped = "g" in self.letters and spatial >= 2
            places = spatial - grouped
            return ("G" if grouped else "") + "OI" + "DHW"[3 - places :] if places <= 3 else None
        return None


def read_problem(primitive: str | None, fields: Sequence[str]) -> LoggedProblem:
    """The problem from the fields that follow the descriptors. It is the third of them; in a line
    that was cut, the last one that looks like a problem."""
    auxiliary = dict(
        word.split(":", 1) for part in fields[:2] for word in part.split() if ":" in word
    )
    for text in (*fields[2:3], *reversed(fields)):
        words = text.split()
        problem = words[0] if words else ""
        third = text is fields[2] if len(fields) > 2 else False
        if _OPERANDS.fullmatch(problem) and ("x" in problem or third):
            listed = (operand.split("x") for operand in problem.lstrip("x").split(":"))
            operands = tuple(
                tuple(map(int, words)) if max(map(len, words)) <= _MAX_DIGITS else ()
                for words in listed
            )
            return LoggedProblem(primitive, operands, {}, auxiliary)
        if _LETTERED.fullmatch(problem):
            letters = {
                name: int(digits)
                for name, digits, fraction in _LETTER.findall(problem)
                if len(digits) <= _MAX_DIGITS and not fraction
            }
            return LoggedProblem(primitive, (), letters, auxiliary)
    return LoggedProblem(primitive, (), {}, auxiliary)


# Sizes of each operand ----------------------------------------------------------------------------


def _of_operands(problem: LoggedProblem, operand: LoggedOperand) -> Sizes | None:
    sizes, role = problem.operands, operand.role
    first = sizes[0]
    match problem.primitive:
        case "concat":
            return _concatenated(problem) if role == "dst" else _at(sizes, operand.place)
        case "binary":
            return _broadcast(sizes) if role == "dst" else _at(sizes, _second(operand))
        case "reduction":
            return _at(sizes, 1) if role == "dst" else first
        case "prelu":
            return _at(sizes, 1) if role == "wei" else first
        case "layer_normalization":
            inner = first[-1:]
            shapes = {
                "stats": first[:-1],
                "scale": inner,
                "shift": inner,
                "scaleshift": (2, *inner),
            }
            return shapes.get(role, first)
    if len(sizes) == 1:
        return first
    if role in {"wei", "src_b"} or (role.startswith("src") and _second(operand)):
        return sizes[1]
    if role == "dst" or role.startswith("bia"):
        products = _at(sizes, 2) or _product(*sizes[:2])
        if role == "dst":
            return products
        # A bit of the mask says that the bias has the size of the result there, else it has 1.
        mask = operand.mask
        return products and tuple(
            n if mask is None or mask >> d & 1 else 1 for d, n in enumerate(products)
        )
    return first


def _at(sizes: Sequence[Sizes], place: int) -> Sizes | None:
    return sizes[place] if place < len(sizes) else None


def _second(operand: LoggedOperand) -> int:
    return int(operand.name[-1]) if operand.name[-1:] in {"1", "2"} else operand.place


def _broadcast(sizes: Sequence[Sizes]) -> Sizes | None:
    if len(set(map(len, sizes))) > 1:
        return None
    return tuple(next((n for n in column if n != 1), 1) for column in zip(*sizes, strict=True))


def _concatenated(problem: LoggedProblem) -> Sizes | None:
    axis = problem.auxiliary.get("axis", "")
    sizes = problem.operands
    if not re.fullmatch(r"[0-9]{1,2}", axis) or any(len(s) <= int(axis) for s in sizes):
        return None
    along = int(axis)
    return (*sizes[0][:along], sum(s[along] for s in sizes), *sizes[0][along + 1 :])


def _product(left: Sizes, right: Sizes) -> Sizes | None:
    """Sizes of a product of matrices, with the batches before them broadcast."""
    if len(left) != len(right) or len(left) < 2:
        return None
    batch = _broadcast((left[:-2], right[:-2])) or ()
    return (*batch, left[-2], right[-1])


# Letters ------------------------------------------------------------------------------------------


def _of_letters(sizes: Mapping[str, int], operand: LoggedOperand) -> Sizes | None:
    """Sizes by benchdnn's letters: mb, g, ic, oc, and i, o, k before d, h, w."""
    role, rank = operand.role, operand.rank
    if role.endswith("_fused") or not {"mb", "ic"} <= sizes.keys():
        return None  # the line gives the sizes of the first of the fused convolutions only
    outputs = sizes.get("oc", sizes["ic"])
    match role:
        case "src" | "data" | "src0":
            return (sizes["mb"], sizes["ic"], *_spatial(sizes, "i", rank - 2))
        case "wei" if "oc" in sizes:
            groups = sizes.get("g", 1)
            kernel = "k" if any(f"k{c}" in sizes for c in "dhw") else "i"
            grouped = "g" in sizes and rank == 3 + len(_spatial(sizes, kernel, 3))
            if not groups or (groups > 1 and not grouped):
                return None
            places = _spatial(sizes, kernel, rank - 2 - grouped)
            channels = (outputs // groups, sizes["ic"] // groups)
            return (*((groups,) if grouped else ()), *channels, *places)
        case "bia" | "scale" | "shift" | "mean" | "variance" | "stats":
            return (outputs,)
        case "dst" | "ws":
            kind = "o" if any(f"o{c}" in sizes for c in "dhw") else "i"
            flat = "oc" in sizes and kind == "i"  # an inner product
            return (sizes["mb"], outputs, *(() if flat else _spatial(sizes, kind, rank - 2)))
    return None


def _spatial(sizes: Mapping[str, int], kind: str, most: int) -> Sizes:
    """Sizes of depth, height and width; the last ``most``, as some versions print depth 1."""
    found = [sizes[f"{kind}{c}"] for c in "dhw" if f"{kind}{c}" in sizes]
    return tuple(found[max(0, len(found) - max(0, most)) :])


def _of_products(sizes: Mapping[str, int], operand: LoggedOperand) -> Sizes | None:
    """Sizes by the letters of a matrix multiplication of version 1: b, m, n, k."""
    matrices = {"src": "mk", "wei": "kn", "dst": "mn", "bia": "mn"}.get(operand.role)
    if matrices is None or not {"m", "n", "k"} <= sizes.keys():
        return None
    shape = [sizes["b"]] if "b" in sizes else []
    shape += [sizes[letter] for letter in matrices]
    if operand.role == "bia":
        kept = operand.mask if operand.mask is not None else -1
        shape = [n if kept >> d & 1 else 1 for d, n in enumerate(shape)]
    return tuple(shape)


def _of_rnn(problem: LoggedProblem, role: str) -> Sizes | None:
    """Sizes of a recurrent layer: l layers, t steps, mb, and the channels sic, slc, dhc, dic."""
    sizes = problem.letters
    if not {"l", "t", "mb", "sic", "slc", "dhc", "dic"} <= sizes.keys():
        return None
    cell = problem.auxiliary.get("alg", "")
    direction = problem.auxiliary.get("direction", "")
    both = 2 if direction.startswith("bidirectional") else 1
    gates = _GATES.get(cell, 3)
    layers = (sizes["l"], both)
    t, mb, dhc = sizes["t"], sizes["mb"], sizes["dhc"]
    width = sizes["dic"] * (2 if direction == "bidirectional_concat" else 1)
    return {
        "src_layer": (t, mb, sizes["slc"]),
        "src_iter": (*layers, mb, sizes["sic"]),
        "src_iter_c": (*layers, mb, dhc),
        "wei_layer": (*layers, sizes["slc"], gates, dhc),
        "wei_iter": (*layers, sizes["sic"], gates, dhc),
        "wei_peephole": (*layers, 3, dhc),
        "wei_proj": (*layers, dhc, sizes["dic"]),
        # The bias of a GRU that is linear before its reset gate has one gate more.
        "bias": (*layers, gates + cell.startswith("lbr"), dhc),
        "dst_layer": (t, mb, width),
        "dst_iter": (*layers, mb, sizes["dic"]),
        "dst_iter_c": (*layers, mb, dhc),
    }.get(role)
