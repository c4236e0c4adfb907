"""The catalogue of named formats. To add a format, add a row to ``formats.json``."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True, eq=False)
class NamedFormat:
    system: str
    name: str  # what its notation is, after the system and a colon
    dims: str  # its letters in logical order
    rank: int
    summary: str


# By system: a format's text, its dimensions and what it is.
_ROWS: Final = json.loads(Path(__file__).with_suffix(".json").read_bytes())
FORMATS: Final = tuple(
    NamedFormat(system, name, dims, len(dims), summary)
    for system, rows in _ROWS.items()
    for name, dims, summary in rows
)
