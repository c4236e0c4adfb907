"""What a caller gives as integers is taken as it is, or refused by its place and value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

from app.engine import LayoutError, coordinates_of, offsets_of, owners_of, parse_layout, window
from app.engine.model.arrays import integers

LAYOUT = parse_layout("NCHW4", (2, 6, 3, 3))
OFFSETS: dict[str, Callable[[Any], Any]] = {
    "coordinates": lambda given: coordinates_of(LAYOUT, given),
    "owners": lambda given: owners_of(LAYOUT, given),
    "integers": lambda given: integers(given, "offsets"),
}
WRONG: dict[str, tuple[Any, str, str]] = {
    "fraction": ([1, 117.9], "[1]", "117.9"),
    "whole fraction": ([2.0], "[0]", "2.0"),
    "boolean": ([0, 1, True], "[2]", "a boolean"),
    "text": (["3"], "[0]", "text of 1 character"),
    "nothing": ([0, None], "[1]", "nothing (null)"),
    "beyond int64": ([0, 2**63], "[1]", str(2**63)),
    "far beyond": ([-(2**64)], "[0]", str(-(2**64))),
    "fractions": (np.array([0.5, 1]), "[0]", "0.5"),
    "NumPy's fraction": ([np.float32(0.5)], "[0]", "a value of type float32"),
    "booleans": (np.array([True]), "[0]", "a boolean"),
    "texts": (np.array(["3"]), "[0]", "text of 1 character"),
    "objects": (np.array([1, 1.5], dtype=object), "[1]", "1.5"),
    "unsigned": (np.array([1, 2**63], dtype=np.uint64), "[1]", str(2**63)),
    "of another library": (strict.asarray([0.5]), "[0]", "0.5"),
    "another library's unsigned": (strict.asarray([2**63], dtype=strict.uint64), "[0]", str(2**63)),
}


@pytest.mark.parametrize("call", OFFSETS.values(), ids=OFFSETS.keys())
@pytest.mark.parametrize(("given", "place", "said"), WRONG.values(), ids=WRONG.keys())
def test_what_is_no_integer_is_refused_by_its_place(
    call: Callable[[Any], Any], given: Any, place: str, said: str
) -> None:
    with pytest.raises(LayoutError) as refused:
        call(given)
    assert refused.value.field == f"offsets{place}"
    assert refused.value.message == f"got {said}; expected an integer from -2^63 to 2^63-1"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ([[0.9, 5.7, 0, 2]], "coordinates[0][0]"),
        ([[0, 0, 0, 0], (0, 0, 0, "2")], "coordinates[1][3]"),
        (np.array([[0, 5.0, 0, 2]]), "coordinates[0][0]"),
        ([[0, 0, 0, 0], [0, 0, 0]], "coordinates"),
        ([[0, 0, 0, 0], 0], "coordinates"),
    ],
    ids=["fractions", "text", "array", "ragged", "no row"],
)
def test_coordinates_are_rows_of_integers(given: Any, field: str) -> None:
    with pytest.raises(LayoutError) as refused:
        offsets_of(LAYOUT, given)
    assert refused.value.field == field


def test_a_list_in_itself_is_refused() -> None:
    inside: list[Any] = []
    inside.append(inside)
    with pytest.raises(LayoutError):
        integers(inside, "offsets")


def test_a_window_is_of_integers() -> None:
    with pytest.raises(LayoutError) as refused:
        window(parse_layout("HW", (3, 4)), (0, 0.5), (1, 1), (1, 1))  # type: ignore[arg-type]  # what is tested
    assert refused.value.field == "window.offsets[1]"
    assert window(parse_layout("HW", (3, 4)), np.array([0, 1]), (3, 3), (2, -1)).shape == (2, 3)  # type: ignore[arg-type]  # taken too


@pytest.mark.parametrize("width", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", "O"])
def test_integers_of_every_width_are_taken(width: str) -> None:
    given = np.array([0, 117], dtype=width)
    assert coordinates_of(LAYOUT, given).tolist() == [[0, 0, 0, 0], [1, 5, 0, 2]]
    listed: list[Any] = [np.int16(0), 117]
    assert coordinates_of(LAYOUT, listed).tolist() == coordinates_of(LAYOUT, given).tolist()


@pytest.mark.parametrize("given", [[], (), np.array([]), range(0)], ids=str)
def test_nothing_is_taken_whatever_its_type(given: Any) -> None:
    assert coordinates_of(LAYOUT, given).shape == (0, 4)


def test_an_array_of_int64_is_not_copied() -> None:
    given = np.arange(3)
    assert integers(given, "offsets") is given
