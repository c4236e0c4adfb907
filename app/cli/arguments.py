"""Arguments and options of several commands, their text as requests of the contract, the output."""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, signature
from itertools import islice
from typing import Annotated, Any, Final, get_type_hints

import typer
from rich.console import RenderableType
from typer import Argument, Option

from ..contract.requests import TensorJson
from ..contract.shapes import plain
from ..engine.model.dtypes import DEFAULT
from ..engine.model.errors import Described, LayoutError, Phrase, phrase
from ..engine.model.layout import INT64_MAX
from ..engine.notation.paste.calls import read_views
from ..engine.notation.view_steps import OPS, unknown_op
from . import tables
from .refusals import typed

MOST_TEXT_BYTES: Final = 1 << 20  # of standard input: more than any text that is read

_STEP = re.compile(r"\s*(\w*)\s*[=:]?")
_NUMBER = re.compile(r"[+-]?[0-9]+")
_SEPARATOR = re.compile(r"\s*[,x×;]|\s+|$")
# ASCII only: IGNORECASE would also match the Kelvin sign as K and the dotless i as i.
_SIZE = re.compile(r"\s*(\d{1,15}(?:\.\d{1,6})?)\s*([KMG]?)(i?)B?\s*", re.IGNORECASE | re.ASCII)
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_MAX_DIGITS = 20

Shape = Annotated[str, Argument(help="Logical sizes: 2,64,3,3 or 2x64x3x3; () for a scalar.")]
LayoutText = Annotated[
    str, Argument(help="Any notation: NCHW4, '(5, 1)+3', channels_last, onednn:aBcd4b.")
]
Dtype = Annotated[
    str | None,
    Option("--dtype", "-t", help="Element type, such as float16 or int4; default: float32."),
]
Dims = Annotated[str | None, Option(help="One letter per dimension, in logical order.")]
Elements = Annotated[int | None, Option(min=0, help="Elements in the buffer, if more than needed.")]
Threads = Annotated[int | None, Option(min=1, help="At most this many threads.")]
AsJson = Annotated[bool, Option("--json", help="Print the API's JSON on one line.")]


def tensor(
    shape: str,
    layout: str,
    dtype: str | None = None,
    dims: str | None = None,
    elements: int | None = None,
) -> TensorJson:
    """The tensor of a shape, a layout in any notation and an element type.

    Errors: LayoutError naming shape; ValidationError.
    """
    sizes, dtype = integers(shape, "shape"), dtype or DEFAULT.name
    return TensorJson(shape=sizes, layout=layout, dtype=dtype, dims=dims, elements=elements)


def steps(texts: Sequence[str]) -> list[dict[str, Any]]:
    """The steps of views, as requests have them, from ``permute(0,2,3,1)`` or ``narrow=1,0,2``, or
    from text as PyTorch has it: ``view(8,-1)``, ``[:, ::2]``.

    Numbers are the parameters of the step in their order; lists share what single numbers leave.
    Errors: LayoutError naming ``steps[i]``.
    """
    return [step for i, text in enumerate(texts) for step in _steps(text, f"steps[{i}]")]


def _steps(text: str, field: str) -> Sequence[dict[str, Any]]:
    named = _STEP.match(text)
    assert named is not None  # the pattern also matches an empty text
    op = named[1]
    if op not in OPS:
        try:
            if views := read_views(text):
                return views
        except LayoutError as error:
            raise error.under(field) from None
        raise unknown_op(field, op)
    numbers = integers(text[named.end() :], field)
    parameters = list(signature(OPS[op]).parameters.values())[1:]
    names = [each.name for each in parameters if each.kind is not Parameter.KEYWORD_ONLY]
    hints = get_type_hints(OPS[op])
    lists = [name for name in names if hints[name] == Sequence[int]]
    length = max((len(numbers) - len(names) + len(lists)) // max(len(lists), 1), 0)
    found: dict[str, Any] = {"op": op}
    left = iter(numbers)
    for name in names:
        taken = list(islice(left, length if name in lists else 1))
        if taken or name in lists:
            found[name] = taken if name in lists else taken[0]
    if any(True for _ in left):
        raise LayoutError(field, numbers, phrase("step.numbers", op=op, names=tuple(names)))
    return [found]


def integers(text: str, field: str) -> list[int]:
    """The integers in ``2,64,3,3``, ``2x64x3x3``, ``2 64 3 3`` or ``(2, 64, 3, 3)``.

    ``()`` gives an empty list. Errors: LayoutError naming ``field``, with the position.
    """
    at, end = _inside_brackets(text)
    numbers: list[int] = []
    with typed({field: text}):
        while rest := text[at:end].lstrip():
            start = end - len(rest)
            number = _NUMBER.match(text, start, end)
            stop = number and _SEPARATOR.match(text, number.end(), end)
            if number is None or stop is None:
                wrong = start if number is None else number.end()
                got = Described("an unexpected character")
                raise LayoutError(field, got, phrase("integers.text"), position=wrong)
            numbers.append(_bounded(number[0], field, start))
            at = stop.end()
    return numbers


def size_bytes(text: str, field: str) -> int:
    """The bytes in ``64MB`` (10^6), ``64MiB`` (2^20), ``1.5 G`` or plain ``1000000``.

    Errors: LayoutError naming ``field``.
    """
    found = _SIZE.fullmatch(text)
    if found is None:
        raise LayoutError(field, text, phrase("size.text"))
    number, unit, binary = found.groups()
    power = ("", "K", "M", "G").index(unit.upper())
    return round(float(number) * math.pow(1024 if binary else 1000, power))


def _inside_brackets(text: str) -> tuple[int, int]:
    stripped = text.strip()
    if len(stripped) > 1 and _BRACKETS.get(stripped[0]) == stripped[-1]:
        return text.index(stripped[0]) + 1, text.rindex(stripped[-1])
    return 0, len(text)


def _bounded(digits: str, field: str, position: int) -> int:
    value = int(digits) if len(digits) <= _MAX_DIGITS else None
    if value is None or not -INT64_MAX - 1 <= value <= INT64_MAX:
        got = Described(f"an integer of {len(digits.lstrip('+-'))} digits")
        expected = phrase("integers.int64")
        raise LayoutError(field, got if value is None else value, expected, position=position)
    return value


def refuse(options: Mapping[str, object], expected: Phrase) -> None:
    """Refuse options that would change nothing here. Errors: LayoutError naming the first one.

    ``options``: values by the name of their parameter; None, False and [] are not given.
    """
    for name, value in options.items():
        if value is not None and value is not False and value != []:
            got = Described("an option that changes nothing here")
            raise LayoutError(f"--{name.replace('_', '-')}", got, expected)


def beside(option: str) -> Phrase:
    """What is expected of an option that needs another ``option``."""
    return phrase("option.beside", option=option)


def not_beside(option: str) -> Phrase:
    """What is expected of an option that another ``option`` leaves without effect."""
    return phrase("option.not_beside", option=option)


def emit(answer: Any) -> None:
    """Print JSON on one line; integers of any length stay exact."""
    typer.echo(json.dumps(answer, ensure_ascii=False, default=plain))


def show(answer: Any, parts: Callable[[], Iterable[RenderableType]], *, as_json: bool) -> None:
    """Print the answer as JSON, or its ``parts`` for people."""
    if as_json:
        emit(answer)
        return
    screen = tables.console()
    for part in parts():
        screen.print(part)
