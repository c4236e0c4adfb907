"""Long lists are encoded in parts, and read as if they were encoded at once."""

import json
from typing import Any

import numpy as np
import pytest

from app.api.answers import encode
from app.contract.shapes import Listed

LONG = 3 * (1 << 12) + 5
LISTS: list[Any] = [
    [],
    list(range(LONG)),
    [None, "é", 0.5, {"a": []}] * LONG,
    [2**70, *range(LONG)],
    [[k, k] for k in range(LONG)],
]


@pytest.mark.parametrize("entries", LISTS, ids=["none", "numbers", "mixed", "wide", "rows"])
def test_any_list(entries: list[Any]) -> None:
    value = {"plain": entries, "in": {"listed": Listed(len(entries), lambda a, b: entries[a:b])}}
    assert json.loads(encode(value)) == {"plain": entries, "in": {"listed": entries}}


def test_arrays_and_other_values() -> None:
    value = {"long": np.arange(LONG), "rows": np.ones((LONG, 2)), "none": {}, "text": "a"}
    expected = {"long": [*range(LONG)], "rows": [[1.0, 1.0]] * LONG, "none": {}, "text": "a"}
    assert json.loads(encode(value)) == expected
    assert encode(np.arange(3)) == b"[0,1,2]"
