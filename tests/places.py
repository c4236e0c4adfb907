"""Where the checkout lies, and the golden rows in it."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def golden_rows(name: str) -> list[dict[str, Any]]:
    """The rows of a file in ``tests/golden``, at least one; ``name`` without the ending."""
    text = (ROOT / "tests" / "golden" / f"{name}.json").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(text)["rows"]
    assert rows
    return rows
