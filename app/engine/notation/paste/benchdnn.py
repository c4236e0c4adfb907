"""Reorders, matrix products and convolutions as oneDNN's benchdnn takes them on its command line.

    line     = ("--reorder" | "--matmul" | "--conv") {"--" option "=" value} problem
    problem  = (sizes [":" sizes] | letters) ["n" name]
    sizes    = "64x48x3x3"
    letters  = those of a verbose line, as mb1ic48ih56oc64oh56kh3ph1

An x in a tag stands for the letters that the tag leaves out: axb is acdb. By default, a type is
f32, a tag of a reorder nchw, and any other tag any. Source: oneDNN tests/benchdnn/doc, the files
driver_reorder.md, driver_matmul.md and driver_conv.md; conv/conv_aux.cpp, str2desc.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from string import ascii_lowercase

from ...model.dtypes import by_name_in
from ...model.errors import LayoutError, one_of, phrase, unreadable
from ..dialects import onednn
from .found import Item
from .onednn_problem import LoggedOperand, LoggedProblem, read_problem

_OPERANDS = {"reorder": 1, "matmul": 2, "conv": 0}  # whose sizes a problem lists
_LINE = re.compile(r"--(?P<driver>reorder|matmul|conv)(?!\S)(?:\\\n|[^\n])*")
_COMMAND = re.compile(r"\bbenchdnn\s{1,9}(?=--[a-z])")
_SIZES = r"\d{1,18}(?:x\d{1,18}){0,11}"
_WORD = re.compile(
    r"--(?P<name>[a-zA-Z_-]{1,40})=(?P<value>\S*)"
    rf"|(?<!\S)(?:(?P<sizes>{_SIZES}(?::{_SIZES})?)"
    r"|(?P<letters>(?:_?(?:g|mb|[io][cdhw]|[kspd][dhw])\d{1,18})+))_?(?:n\S*)?(?!\S)",
    re.ASCII,
)
_TYPE = re.compile(r"(?:bf|[fsu])\d{1,2}(?:_e\dm\d)?", re.ASCII)


def find_problems(text: str) -> Iterator[Item]:
    """The tensors of each problem. One that cannot be read has an error. Errors: LayoutError, for
    a command line of benchdnn without a problem that is read."""
    begun = None
    for line in _LINE.finditer(text):
        driver = line["driver"]
        roles, tag = ("sd", "nchw") if driver == "reorder" else ("swd", "any")
        said = {
            f"{c}{part}": (value, line.start())
            for c in roles
            for part, value in (("dt", "f32"), ("tag", tag))
        }
        strides: int | None = None  # where they are given: they are not read
        for word in _WORD.finditer(text, *line.span()):
            name, value, at = word["name"], word["value"], word.start()
            if name in said:
                said[name] = (value, at)
            elif name in {"dt", "cfg"} and driver != "reorder":
                kinds = _TYPE.findall(value)
                each = kinds if len(kinds) == 3 else [kinds[0] if len(kinds) == 1 else value] * 3
                said |= {f"{c}dt": (kind, at) for c, kind in zip(roles, each, strict=True)}
            elif name == "strides" and value.strip(":"):
                strides = at
            elif name is None:
                problem = _problem_of(driver, word)
                if len(problem.operands) != _OPERANDS[driver]:
                    continue
                begun = Item(at, group=at, system="onednn", spans=((line.start(), word.end()),))
                for item in _tensors_of(text, problem, said, begun):
                    refused = strides is not None and unreadable(text, strides, phrase("paste.tag"))
                    yield replace(item, error=refused) if refused else item
    if begun is None and (command := _COMMAND.search(text)):
        raise unreadable(text, command.end(), phrase("paste.benchdnn"))


def _tensors_of(
    text: str, problem: LoggedProblem, said: Mapping[str, tuple[str, int]], begun: Item
) -> Iterator[Item]:
    """The source, the weights and the target of one problem, with these types and tags. Beside
    tags, those whose tag is any are left out; where all are any, they have sizes alone."""
    roles = [role for role in ("src", "wei", "dst") if f"{role[0]}tag" in said]
    types, left_open = by_name_in("onednn"), problem.primitive != "reorder"
    tagged = [role for role in roles if not left_open or said[f"{role[0]}tag"][0] != "any"]
    for place, role in enumerate(tagged or roles):
        (kind, kind_at), (tag, tag_at) = said[f"{role[0]}dt"], said[f"{role[0]}tag"]
        rank = _rank(problem, role)
        named = "".join(c for c in ascii_lowercase[:rank] if c not in tag.lower())
        whole = tag.replace("x", named)
        dtype, error = types.get(kind), None
        if dtype is None:
            error = unreadable(text, kind_at, one_of(types))
        elif tagged and isinstance(onednn.DIALECT.attempt(whole), LayoutError):
            error = unreadable(text, tag_at, phrase("paste.tag"))
        operand = LoggedOperand(role, 0, rank, None)
        yield replace(
            begun,
            at=begun.at + place,
            shape=problem.shape_of(operand),
            dtype=dtype.name if dtype else None,
            layout=f"onednn:{whole}" if tagged else None,
            role=role,
            dims=problem.dims_of(operand),
            source=problem.primitive,
            error=error,
        )


def _problem_of(driver: str, word: re.Match[str]) -> LoggedProblem:
    """The problem of a word. As in benchdnn, a convolution without sizes for its width is a square,
    without padding not padded, and has two images."""
    if word["sizes"]:
        listed = (sizes.split("x") for sizes in word["sizes"].split(":"))
        return LoggedProblem(driver, tuple(tuple(map(int, sizes)) for sizes in listed))
    problem = read_problem("convolution", ("", "", word["letters"]))
    sizes = {"mb": 2, **problem.letters}
    for smaller, larger in ("hd", "wh"):
        if not any(f"{kind}{smaller}" in sizes for kind in "iok"):
            same = {f"{kind}{smaller}": sizes.get(f"{kind}{larger}") for kind in "iokspd"}
            sizes |= {name: size for name, size in same.items() if size is not None}
    for c in "dhw":
        step = sizes.get(f"s{c}", 1)
        if f"o{c}" not in sizes and {f"i{c}", f"k{c}"} <= sizes.keys() and step:
            reach = (sizes[f"k{c}"] - 1) * (sizes.get(f"d{c}", 0) + 1) + 1
            left = sizes[f"i{c}"] + 2 * sizes.get(f"p{c}", 0) - reach
            sizes |= {f"o{c}": left // step + 1} if left >= 0 else {}
    return replace(problem, letters=sizes)


def _rank(problem: LoggedProblem, role: str) -> int:
    if problem.operands:
        return len(problem.operands[0])
    spatial = sum({f"i{c}", f"k{c}"} <= problem.letters.keys() for c in "dhw")
    return 2 + spatial + (role == "wei" and "g" in problem.letters)
