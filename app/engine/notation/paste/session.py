"""The tensors of a session while their values are read, one after another."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class NamedTensor:
    """What the text says of one tensor, and the positions where it does. ``code``: its type as a
    buffer of Python gives it, such as d. ``guessed``: whether its strides may count elements too.
    ``spans``: each with the field that is said there."""

    at: int
    role: str | None = None
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
    spans: list[tuple[str, tuple[int, int]]] = field(default_factory=list)

    @property
    def explained(self) -> list[tuple[int, int]]:
        """The spans that are read: an offset is none without strides."""
        if self.shape is None and self.strides is None:
            return []
        return [span for name, span in self.spans if name != "offset" or self.strides is not None]

    def repeats(self, other: NamedTensor) -> bool:
        """Whether ``other`` says all that this one says."""
        names = ("shape", "strides", "offset", "dtype", "format", "itemsize", "code")
        same = (getattr(self, name) in {None, getattr(other, name)} for name in names)
        return all(same) and self.null_strides <= other.null_strides


@dataclass(slots=True)
class Session:
    """The tensors of a text, the last one being filled. ``filled``: the one that took the last
    value, until it is marked. ``asked``: the variables whose values were asked for and not printed
    yet, as x in x.shape. ``spans``: the questions."""

    tensors: list[NamedTensor] = field(default_factory=list)
    filled: NamedTensor | None = None
    asked: list[str] = field(default_factory=list)
    answered: bool = True
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
        """The tensor that takes ``values``: one that has none of them yet, else a new one."""
        self.answered = True
        mine = (one for one in reversed(self.tensors) if role is None or one.role in {role, None})
        tensor = next(mine, None)
        said = [getattr(tensor, name) for name in values] if tensor else []
        same = tensor and role == tensor.role and (role or "shape" not in values)
        if tensor is None or (
            any(one is not None for one in said) and not (same and said == [*values.values()])
        ):
            tensor = NamedTensor(at, role)
            self.tensors.append(tensor)
        tensor.role = tensor.role or role
        self.filled = tensor
        return tensor

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
