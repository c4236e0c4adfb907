"""What a lesson consists of: its text, and a function from drawn numbers to a question."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from ..engine import Layout
from .draw import Draw

Kind = Literal["number", "cell", "cells", "choice", "several", "strides"]
KINDS: Final = get_args(Kind)
Unit = Literal["address", "byte", "bytes", "elements", "lines"]
Shows = Literal["both", "tensor", "memory", "after", "memory_after"]
Answer = int | str | tuple[int, ...] | tuple[str, ...]

LEVELS: Final = 3


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A tensor that the question is about.

    ``text``: its layout in a notation; empty where only strides say it. ``shows``: the grids that
    are drawn before the answer; ``after`` and ``memory_after``: none. ``secret``: the question
    asks for the layout, so that only what lies at each address is told before the answer.
    """

    layout: Layout
    text: str = ""
    dtype: str = "float32"
    shows: Shows = "both"
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Wrong:
    """What one wrong model of memory computes. ``text``: how it came to that, not the answer.

    ``believed``: the first tensor as this model has it, where it takes another layout for its own.
    """

    code: str
    computed: Answer
    text: str
    believed: Exhibit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A prediction, with the engine's answer and what each wrong model would answer.

    ``kind``: ``number``, an integer in ``unit``, by default; ``cell``, a coordinate; ``cells``, a
    set of addresses in ascending order; ``choice``, one of ``choices``; ``several``, the right ones
    of them in their order; ``strides``, one of ``choices`` for each dimension of ``dims``.
    ``about``: what is asked about, by name: ``at`` is a cell of the first tensor. ``drawn``:
    addresses of that tensor that explain the answer, where it names none itself. ``line``: elements
    of a cache line, where lines are asked for. ``hints``: the steps of the formula, without the
    answer. ``each``: of strides, the step to each of them.
    """

    kind: Kind = "number"
    prompt: str
    expected: Answer
    wrong: Sequence[Wrong]
    hints: Sequence[str]
    explanation: str
    each: Sequence[str] = ()
    tensors: Sequence[Exhibit]
    choices: Sequence[str] = ()
    dims: str = ""
    drawn: Sequence[int] = ()
    unit: Unit | None = None
    line: int | None = None
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lesson:
    """One idea in at most three sentences, ``text``, and what is asked about it.

    ``ask``: a question of a level from 1 to LEVELS. ``chapter``: as CHAPTERS has it.
    """

    id: str
    title: str
    minutes: int
    text: str
    ask: Callable[[Draw, int], Question]
    chapter: str = ""
