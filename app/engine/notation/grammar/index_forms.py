"""Sums of digits of mixed-radix numbers: the value of an index expression.

Coordinates are never negative, so division that truncates equals division that floors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ...model.layout import Swizzle

# (variable, place, modulus): (variable / place) % modulus, or no % if the modulus is None.
Atom = tuple[str, int, int | None]


@dataclass(frozen=True, slots=True)
class Form:
    """constant + Σ coefficient · atom, with a swizzle or without.

    ``masked``: (form, mask, shift to the right) if the value is ``(form & mask) >> shift``, the
    right side of a swizzle's XOR. ``readable``: whether the sum is the value of the text. It is
    not if a mask or a shift cannot be written as a sum of digits; such a form is valid only as
    that side of a swizzle.
    """

    constant: int = 0
    atoms: Mapping[Atom, int] = field(default_factory=lambda: MappingProxyType({}))
    masked: tuple[Form, int, int] | None = None
    readable: bool = True
    swizzle: Swizzle | None = None

    def plus(self, other: Form, factor: int = 1) -> Form:
        """self + factor · other."""
        atoms = dict(self.atoms)
        for atom, coefficient in other.atoms.items():
            atoms[atom] = atoms.get(atom, 0) + factor * coefficient
        return Form(self.constant + factor * other.constant, atoms)

    def equals(self, other: Form) -> bool:
        """Whether both are the same sum, written in the same way or not."""
        return self.constant == other.constant and self.atoms == other.atoms

    def times(self, factor: int) -> Form:
        """factor · self."""
        return Form().plus(self, factor)

    def over(self, divisor: int) -> Form | None:
        """self / divisor, None if that is not a sum of digits."""
        if all(n % divisor == 0 for n in (self.constant, *self.atoms.values())):
            return Form(self.constant // divisor, {a: n // divisor for a, n in self.atoms.items()})
        if not self.atoms and self.constant >= 0:
            return Form(self.constant // divisor)
        single = self._single(divisor)
        if single is None:
            return None
        (name, place, modulus), coefficient = single
        divisor //= coefficient
        if modulus is None:
            return Form(atoms={(name, place * divisor, None): 1})
        if modulus <= divisor:
            return Form()
        if modulus % divisor:
            return None
        return Form(atoms={(name, place * divisor, modulus // divisor): 1})

    def modulo(self, modulus: int) -> Form | None:
        """self % modulus, None if that is not a sum of digits."""
        if not self.atoms and self.constant >= 0:
            return Form(self.constant % modulus)
        if all(n % modulus == 0 for n in (self.constant, *self.atoms.values())):
            return Form()
        single = self._single(modulus)
        if single is None:
            return None
        (name, place, inner), coefficient = single
        modulus //= coefficient
        if inner is not None and inner <= modulus:
            return self
        if inner is not None and inner % modulus:
            return None
        return Form(atoms={(name, place, modulus): coefficient})

    def _single(self, divisor: int) -> tuple[Atom, int] | None:
        """The only atom and its coefficient; None if there are others or it cannot be divided."""
        if self.constant or len(self.atoms) != 1:
            return None
        [(atom, coefficient)] = self.atoms.items()
        return (atom, coefficient) if coefficient > 0 and divisor % coefficient == 0 else None
