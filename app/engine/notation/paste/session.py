"""The tensors of a session while their values are read, one after another."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field


@dataclass(slots=True)
class NamedTensor:
    """What the text says of one tensor, and the positions where it does. ``code``: its type as a
    buffer of Python gives it, such as d. ``guessed``: whether its strides may count elements too.
    ``label``: the name before its sizes, its role where nothing else gives one.
    ``unknown_at``: where a size is open; the shape is none then. ``spans``: each with the field
    that is said there."""

    at: int
    role: str | None = None
    label: str | None = None
    shape: tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    strides_at: int = 0
    null_strides: bool = False
    in_bytes: bool = False
    unsaid: bool = False  # whether strides count bytes: the word alone stands before them
    offset: int | None = None
    dtype: str | None = None
    format: str | None = None
    itemsize: int | None = None
    code: str | None = None
    guessed: bool = False
    unknown_at: int | None = None
    spans: list[tuple[str, tuple[int, int]]] = field(default_factory=list)

    def said(self, name: str) -> object:
        """The value of a field, None if the text has not said it."""
        return True if name == "strides" and self.null_strides else getattr(self, name)

    def within(self, values: Collection[str]) -> tuple[int, int] | None:
        """The text between its first two values, None if it did not begin with one of ``values``,
        or they are sizes."""
        if len(self.spans) < 2 or self.spans[0][0] not in values or "shape" in values:
            return None
        return self.spans[0][1][1], self.spans[1][1][0]

    @property
    def explained(self) -> list[tuple[int, int]]:
        """The spans that are read: an offset is none without strides."""
        if self.shape is None and self.strides is None:
            return []
        return [span for name, span in self.spans if name != "offset" or self.strides is not None]

    def repeats(self, other: NamedTensor) -> bool:
        """Whether ``other`` says all that this one says."""
        same = (getattr(self, name) in {None, getattr(other, name)} for name in _SAID)
        return all(same) and self.null_strides <= other.null_strides

    def continues(self, other: NamedTensor) -> bool:
        """Whether this may be the rest of what the text says of ``other``: no sizes begin here, and
        no value differs."""
        both = ({self.said(name), other.said(name)} - {None} for name in _SAID)
        return self.shape is None and self.role == other.role and all(len(one) < 2 for one in both)

    def take(self, other: NamedTensor) -> None:
        """Take over what ``other`` says, which continues this one."""
        new = [name for name in _SAID if getattr(self, name) is None]
        for name in new:
            setattr(self, name, getattr(other, name))
        if "strides" in new:
            for name in ("strides_at", "null_strides", "in_bytes", "unsaid", "guessed"):
                setattr(self, name, getattr(other, name))
        self.spans += other.spans


_SAID = ("shape", "strides", "offset", "dtype", "format", "itemsize", "code")
_Parts = tuple[int, int]
_MOST_BETWEEN = 1000  # characters between two values that are looked at
_BRACKET = re.compile(r"[(\[{)\]}]")


@dataclass(slots=True)
class Session:
    """The tensors of a text, the last one being filled. ``filled``: the one that took the last
    value, until it is marked. ``asked``: the variables whose values were asked for and not printed
    yet, as x in x.shape; ``sizes_asked``: whether sizes were. ``spans``: questions. ``leading``:
    whether a value that a tensor began with begins the next one where nothing else decides it."""

    text: str = ""
    leading: bool = True
    tensors: list[NamedTensor] = field(default_factory=list)
    filled: NamedTensor | None = None
    asked: list[str] = field(default_factory=list)
    answered: bool = True
    sizes_asked: bool = False
    spans: list[tuple[int, int]] = field(default_factory=list)

    @property
    def role(self) -> str | None:
        """The one variable that was asked for last."""
        return self.asked[0] if len(self.asked) == 1 else None

    def ask(self, variable: str | None) -> None:
        if self.answered:
            self.asked = []
            self.answered = False
        if variable is not None and variable not in self.asked:
            self.asked.append(variable)

    def tensor(self, at: int, role: str | None, **values: object) -> NamedTensor:
        """The tensor that takes ``values``: one that has none of them yet, else a new one. The same
        values again are of the same tensor, unless they begin the next one."""
        self.answered, self.sizes_asked = True, False
        mine = (one for one in reversed(self.tensors) if role is None or one.role in {role, None})
        tensor = next(mine, None)
        said = [tensor.said(name) for name in values] if tensor else []
        same = tensor and role == tensor.role and (role or "shape" not in values)
        again = same and said == [*values.values()]
        parted = self._parted(tensor, at, values) if tensor and same else None
        if tensor and same and all(one is None for one in said):
            tensor = None if self._leads(tensor, at, values) else tensor
        if tensor and parted and not again and parted[0] > parted[1] == (0, 0):
            del tensor.spans[0]  # what it began with stood there for another reason
        elif tensor is None or (
            any(one is not None for one in said) and not (again and not self._begins(parted))
        ):
            tensor = NamedTensor(at, role)
            self.tensors.append(tensor)
        tensor.role = tensor.role or role
        self.filled = tensor
        return tensor

    def _leads(self, tensor: NamedTensor, at: int, values: Collection[str]) -> bool:
        """Whether ``values``, which the last tensor lacks, begin the next one, as they began the
        one before: more parts the last one from them than parted the first values of that one."""
        if tensor.shape is None or len(self.tensors) < 2 or tensor is not self.tensors[-1]:
            return False
        before = self.tensors[-2]
        if before.role != tensor.role or not tensor.spans:
            return False
        within = before.within(values)
        return within is not None and self._parts(tensor.spans[-1][1][1], at) > self._parts(*within)

    def _begins(self, parted: tuple[_Parts, _Parts] | None) -> bool:
        """Whether a value that the last tensor began with begins the next one: no less parts the
        two than parted its own first values."""
        if parted is None:
            return False
        return parted[1] > parted[0] or (self.leading and parted[0] == parted[1])

    def _parted(
        self, tensor: NamedTensor, at: int, values: Collection[str]
    ) -> tuple[_Parts, _Parts] | None:
        """What parts the first two values of the last tensor, and what parts it from ``at``; None
        if it did not begin with one of ``values``, or they are sizes."""
        within = tensor.within(values)
        if tensor is not self.tensors[-1] or within is None:
            return None
        return self._parts(*within), self._parts(tensor.spans[-1][1][1], at)

    def _parts(self, start: int, end: int) -> _Parts:
        """How many brackets end between two values, and how many lines."""
        between, depth, ended = self.text[start : min(end, start + _MOST_BETWEEN)], 0, 0
        for bracket in _BRACKET.findall(between):
            depth += 1 if bracket in "([{" else -1
            if depth < 0:
                depth, ended = 0, ended + 1
        return ended, between.count("\n")

    def mark(self, name: str, span: tuple[int, int]) -> None:
        """Note the part of the text that gave a tensor its value, or that only names one."""
        if self.filled is None:
            self.spans.append(span)
        else:
            self.filled.spans.append((name, span))
        self.filled = None

    def set(self, at: int, role: str | None, **values: object) -> NamedTensor:
        """Fill in ``values``; return the tensor that took them."""
        tensor = self.tensor(at, role, **values)
        for name, value in values.items():
            setattr(tensor, name, value)
        return tensor


def _typed(tensors: list[NamedTensor]) -> list[NamedTensor]:
    """Those with sizes; types that stand before all sizes are of as many tensors, in order."""
    first = next((i for i, t in enumerate(tensors) if t.shape is not None or t.strides), 0)
    sized, wanted = tensors[first:], [True] * (first + 1) + [False] * first
    if not first or [t.dtype is not None for t in tensors] != wanted:
        return tensors
    if sized[0].spans[0][0] != "dtype":
        return tensors
    for tensor, kind in [*zip(sized, tensors, strict=False)][::-1]:
        tensor.dtype = kind.dtype
        tensor.spans += kind.spans
    return sized


def merged(tensors: list[NamedTensor]) -> list[NamedTensor]:
    """Those with sizes or strides, without the ones that only repeat a part of a neighbour."""
    kept: list[NamedTensor] = []
    for tensor in _typed(tensors):
        tensor.role = tensor.role or tensor.label
        before = kept[-1] if kept else None
        if before is not None and tensor.continues(before):
            before.take(tensor)
            continue
        if tensor.shape is None and tensor.strides is None:
            continue
        if before is not None and (
            before.role == tensor.role or None in {before.role, tensor.role}
        ):
            if tensor.repeats(before):
                continue
            if before.repeats(tensor):
                tensor.role = tensor.role or before.role
                tensor.at = before.at
                kept[-1] = tensor
                continue
        kept.append(tensor)
    return kept
