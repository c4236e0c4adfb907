"""Shared by the dialects of named dense formats: similar names, reasons."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import takewhile

from ...model.dtypes import ElementType
from ...model.layout import Digit, Layout
from ..dialect import CannotSayError
from ..specs import Entries, Spec


def departure(word: str, names: Iterable[str]) -> int:
    """Length of the longest common prefix of ``word`` and any of ``names``: where to mark it."""
    known = tuple(names)
    ends = range(1, len(word) + 1)
    return sum(1 for _ in takewhile(lambda end: any(n.startswith(word[:end]) for n in known), ends))


def in_vectors(
    shape: Sequence[int], strides: Sequence[int], d: int, vector: int
) -> tuple[tuple[Digit, ...], ...]:
    """Digits where strides count vectors of ``vector`` elements of dimension ``d``."""
    digits = [(Digit(n, s * vector),) for n, s in zip(shape, strides, strict=True)]
    if vector == 1:
        return tuple(digits)
    outer = Digit(-(-shape[d] // vector), strides[d] * vector)
    return (*digits[:d], (outer, Digit(vector, 1)), *digits[d + 1 :])


class NamedSpecs:
    """The specs of a dialect's own names, and which of them is a layout."""

    def __init__(self, specs: Mapping[str, Spec]) -> None:
        self._for_dims = lru_cache(maxsize=64)(partial(Entries[str].of, specs.items()))

    def fits(self, layout: Layout, dtype: ElementType) -> Iterator[str]:
        """The texts whose specs give the addresses of ``layout``."""
        return self._for_dims(layout.dims).fitting(layout, dtype)

    def first_fit(self, layout: Layout, dtype: ElementType) -> str | None:
        """The first of them, None if there is none."""
        return next(self.fits(layout, dtype), None)

    def fitting(self, layout: Layout, dtype: ElementType, reason: str) -> str:
        """The same. Errors: CannotSayError with a simple reason, else ``reason``."""
        text = self.first_fit(layout, dtype)
        if text is None:
            raise CannotSayError(obstacle(layout) or reason)
        return text


def obstacle(layout: Layout) -> str | None:
    """The code of why no dense format has this layout. None if there is no simple reason."""
    strides = [g.stride for mine in layout.reached for g in mine]
    if any(s < 0 for s in strides):  # which needs an offset
        return "dense.negative"
    if layout.offset:
        return "dense.offset"
    if 0 in strides:
        return "dense.broadcast"
    return None
