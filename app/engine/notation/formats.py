"""The catalogue of named formats. To add a format, add a row to ``formats.json``."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True, eq=False)
class NamedFormat:
    """A named format: ``system:text`` is its notation, ``dims`` its letters in logical order."""

    system: str
    text: str
    dims: str
    summary: str

    @property
    def rank(self) -> int:
        """Number of logical dimensions."""
        return len(self.dims)


# By system: a format's text, its dimensions and what it is.
_ROWS: Final = json.loads(Path(__file__).with_suffix(".json").read_bytes())
FORMATS: Final = tuple(NamedFormat(system, *row) for system, rows in _ROWS.items() for row in rows)
