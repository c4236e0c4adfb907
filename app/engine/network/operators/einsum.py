"""einsum: letters, sizes and types of its operands and result, and the order of its sums."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...model.dtypes import ElementType
from ...model.errors import LayoutError, Phrase
from .base import Call, Shaped, TensorType, compute
from .promotion import as_sum, promote, result_type

_MOST = 512  # characters of an equation


@dataclass(frozen=True, slots=True)
class Contraction:
    """One product of two operands.

    ``alone``: for each of them the letters that it alone has, which are summed before the product.
    ``together``: the letters that the product sums. ``types``: of the operands after their sums.
    """

    alone: tuple[Sequence[str], Sequence[str]]
    together: Sequence[str]
    types: tuple[ElementType, ElementType]

    @property
    def dtype(self) -> ElementType:
        """The type of the product: bmm takes one type only, or operands without elements."""
        return self.types[1] if self.together else promote(*self.types)


def einsum_terms(call: Call) -> tuple[list[str], str]:
    """The letters of each operand and of the result. Errors: LayoutError for an ellipsis."""
    equation = call.attributes["equation"].replace(" ", "")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    letters = left.replace(",", "")
    if (
        not (letters + right).isascii()
        or not letters.isalpha()
        or (right and not right.isalpha())
        or len(equation) > _MOST
    ):
        expected = Phrase("einsum.equation", "letters, commas and one arrow")
        raise LayoutError("attributes.equation", equation, expected)
    if len(set(right)) != len(right):
        expected = Phrase("einsum.once", "each letter once behind the arrow")
        raise LayoutError("attributes.equation", equation, expected)
    if not arrow:
        right = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    return terms, right


def contractions(
    terms: Sequence[str], right: str, operands: Sequence[TensorType]
) -> Iterator[Contraction]:
    """The products that PyTorch makes of several operands, from left to right.

    A letter is summed with the last operand in which its size is not 1. Letters are summed from A
    to Z, then from a to z. Integers are summed as int64 where the sum is not part of a product.
    Source: ATen/native/Linear.cpp (einsum).
    """
    aligned: list[Mapping[str, int]] = [
        dict(zip(term, each.shape, strict=True)) for term, each in zip(terms, operands, strict=True)
    ]
    letters = sorted({c for term in terms for c in term if c not in right})
    left = {c: sum(each.get(c, 1) != 1 for each in aligned) for c in letters}
    found, dtype = dict(aligned[0]), operands[0].dtype
    for own, operand in zip(aligned[1:], operands[1:], strict=True):
        alone: tuple[list[str], list[str]] = ([], [])
        together = []
        for letter, count in left.items():
            wide = [each.get(letter, 1) != 1 for each in (found, own)]
            if all(wide) and count == 2:
                together.append(letter)
            elif any(wide) and count == 1:
                alone[wide.index(True)].append(letter)
            left[letter] = count - all(wide)
        a, b = (
            as_sum(each) if letters_of else each
            for each, letters_of in zip((dtype, operand.dtype), alone, strict=True)
        )
        step = Contraction(alone, together, (a, b))
        yield step
        dtype = step.dtype
        done = {*together, *alone[0], *alone[1]}
        left |= dict.fromkeys(done, 0)
        sizes = {c: own.get(c, 1) if found.get(c, 1) == 1 else found[c] for c in {*found, *own}}
        found = sizes | dict.fromkeys(done, 1)


def _einsum(call: Call, _source: TensorType) -> Shaped:
    terms, right = einsum_terms(call)
    given = call.given()
    if len(terms) != len(given):
        expected = Phrase("einsum.terms", "{n} terms", n=len(given))
        raise LayoutError("attributes.equation", call.attributes["equation"], expected)
    sizes: dict[str, int] = {}
    for i, (term, each) in enumerate(zip(terms, given, strict=True)):
        if len(term) != each.rank:
            expected = Phrase("dimensions.count", "{n} dimensions", n=len(term))
            raise LayoutError(f"inputs[{i}]", list(each.shape), expected)
        own: dict[str, int] = {}
        for letter, n in zip(term, each.shape, strict=True):
            if own.setdefault(letter, n) != n:
                said = "{size} for each {letter}"
                expected = Phrase("einsum.own", said, size=own[letter], letter=letter)
                raise LayoutError(f"inputs[{i}]", n, expected)
            if sizes.setdefault(letter, n) not in {n, 1} and n != 1:
                said = "{size} for {letter}"
                expected = Phrase("einsum.size", said, size=sizes[letter], letter=letter)
                raise LayoutError(f"inputs[{i}]", n, expected)
            if n != 1:
                sizes[letter] = n
    if any(letter not in sizes for letter in right):
        expected = Phrase("einsum.letters", "letters of the operands behind the arrow")
        raise LayoutError("attributes.equation", right, expected)
    dtype = _type(terms, right, given) if call.dialect == "torch" else result_type(given)
    return TensorType(tuple(sizes[letter] for letter in right), dtype)


def _type(terms: Sequence[str], right: str, operands: Sequence[TensorType]) -> ElementType:
    if len(operands) == 1:
        found = operands[0].dtype
        return as_sum(found) if set(terms[0]) - set(right) else found
    *_, last = contractions(terms, right, operands)
    return last.dtype


OPERATORS = (
    compute(
        "einsum",
        _einsum,
        "einsum(*operands equation:text!)",
        "Einsum(*operands equation:text!)",
        onednn="matmul",
    ),
)
