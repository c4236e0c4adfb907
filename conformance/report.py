"""The results of a comparison: cases, mismatches, the first of them as text, and the table."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from app.engine.model.errors import LayoutError

_SHOWN = 3  # mismatches of one comparison that are printed in full


@dataclass(slots=True)
class Comparison:
    """One line of the table: the same cases in the engine and in a library."""

    dialect: str
    what: str
    cases: int = 0
    mismatches: int = 0
    first: list[str] = field(default_factory=list)

    def equal(self, engine: object, library: object, *case: object) -> None:
        """Count one case. ``case``: the values needed to repeat it."""
        self.cases += 1
        if engine == library:
            return
        self.mismatches += 1
        if len(self.first) < _SHOWN:
            said = " ".join(map(str, case))
            self.first.append(f"{said}\n      engine:  {engine}\n      library: {library}")


@dataclass(frozen=True, slots=True)
class Refused:
    """The result of a refused case. All refusals are equal, whatever their reason."""

    reason: str = field(default="", compare=False)


def asked(
    question: Callable[..., Any],
    *arguments: object,
    refusal: type[Exception] | tuple[type[Exception], ...] = LayoutError,
) -> Any:
    """``question(*arguments)``, or Refused if it raises a ``refusal``."""
    try:
        return question(*arguments)
    except refusal as error:
        lines = str(error).strip().splitlines()
        return Refused(lines[0] if lines else type(error).__name__)


def table(comparisons: Iterable[Comparison], missing: Iterable[tuple[str, str]]) -> str:
    """The table as text: dialect, what is compared, cases, mismatches; then missing libraries."""
    rows = [("dialect", "compared", "cases", "mismatches")]
    rows += [(c.dialect, c.what, f"{c.cases:,}", f"{c.mismatches:,}") for c in comparisons]
    rows += [(dialect, f"not installed: {reason}", "-", "-") for dialect, reason in missing]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = [
        "  ".join(f"{cell:{side}{n}}" for cell, side, n in zip(row, "<<>>", widths, strict=True))
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)
