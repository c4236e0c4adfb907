"""What a caller gives as integers is taken as it is, or refused by its place and value."""

import json
from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

from app import describe, propagate, view
from app.engine import (
    Digit,
    Layout,
    LayoutError,
    coordinates_of,
    offsets_of,
    owners_of,
    parse_layout,
    window,
)
from app.engine.model.arrays import integers

LAYOUT = parse_layout("NCHW4", (2, 6, 3, 3))
OFFSETS: dict[str, Callable[[Any], Any]] = {
    "coordinates": lambda given: coordinates_of(LAYOUT, given),
    "owners": lambda given: owners_of(LAYOUT, given),
}
WRONG: dict[str, tuple[Any, str, str]] = {
    "fraction": ([1, 117.9], "[1]", "117.9"),
    "text": (["3"], "[0]", "text of 1 character"),
    "nothing": ([0, None], "[1]", "nothing (null)"),
    "far beyond": ([-(2**64)], "[0]", str(-(2**64))),
    "NumPy's fraction": ([np.float32(0.5)], "[0]", "a value of type float32"),
    "objects": (np.array([1, 1.5], dtype=object), "[1]", "1.5"),
    "unsigned": (np.array([1, 2**63], dtype=np.uint64), "[1]", str(2**63)),
    "another library's unsigned": (strict.asarray([2**63], dtype=strict.uint64), "[0]", str(2**63)),
}


def _objects(*entries: Any) -> Any:
    """An array of objects that are themselves arrays or lists."""
    found = np.empty(len(entries), object)
    found[:] = entries
    return found


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
        (None, "coordinates"),
        ([[0, 0, 0]], "coordinates"),
        ([[0, 0, 3, 0]], "coordinates[0][2]"),
        ([[0, -1, 0, 0]], "coordinates[0][1]"),
        (_objects([0, 0, 0, 0]), "coordinates[0]"),
        ([np.zeros(4, int), np.zeros(3, int)], "coordinates[0]"),
        ([[np.array([0])] * 4], "coordinates"),
        (json.loads("[" * 99 + "]" * 99), "coordinates" + "[0]" * 9),
    ],
)
def test_coordinates_are_rows_of_integers(given: Any, field: str) -> None:
    with pytest.raises(LayoutError) as refused:
        offsets_of(LAYOUT, given)
    assert refused.value.field == field


@pytest.mark.parametrize("call", [coordinates_of, owners_of])
@pytest.mark.parametrize("given", [[[0, 1]], 3, np.zeros((2, 2), int), [np.array([0, 1])]], ids=str)
def test_addresses_are_in_one_dimension(call: Callable[..., Any], given: Any) -> None:
    with pytest.raises(LayoutError) as refused:
        call(LAYOUT, given)
    assert refused.value.field == "offsets"


TWO: Any = np.int8(2)
THREE: Any = np.uint64(3)
SIZES: Any = np.array([2, 3], np.int16)
ROWS = parse_layout("HW", (2, 3))
SAME: dict[str, Callable[[], Any]] = {
    "an array": lambda: parse_layout("HW", SIZES),
    "strided": lambda: Layout.strided((TWO, THREE), SIZES[::-1] // (1, 2), 0 * TWO),
    "packed": lambda: Layout.packed([TWO, THREE], "HW", [(0, None), (1, None)]),
    "digits": lambda: Layout((TWO, THREE), "HW", ((Digit(TWO, THREE),), (Digit(THREE, 1),))),
    "a view": lambda: view(ROWS, [{"op": "reshape", "shape": np.array([2, 3])}]),
    "a step": lambda: view(ROWS, [{"op": "narrow", "dim": 0, "start": TWO - 2, "length": TWO}]),
}


@pytest.mark.parametrize("make", SAME.values(), ids=SAME.keys())
def test_integers_of_numpy_are_sizes(make: Callable[[], Any]) -> None:
    found = make()
    assert found == ROWS
    assert {type(size) for size in found.shape} == {int}


def test_integers_of_numpy_are_sizes_of_networks_and_buffers() -> None:
    sizes: Any = [np.int64(1), 8, 6, 6]
    graph = {
        "inputs": {"x": {"shape": sizes, "layout": "NHWC"}},
        "nodes": [{"op": "relu", "inputs": ["x"], "outputs": ["y"]}],
    }
    assert propagate(graph, "pytorch-eager")["tensors"]["y"]["strides"] == (288, 1, 48, 8)
    assert describe("NCHW", sizes, elements=150 * TWO.astype(np.int64)).buffer.elements == 300


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ([2**70], "shape[0]"),
        ([np.True_], "shape[0]"),
        ([np.array(2)], "shape[0]"),
        (None, "shape"),
    ],
)
@pytest.mark.parametrize(
    "call",
    [
        lambda shape: parse_layout("W", shape),
        lambda shape: Layout.packed(shape, "W", [(0, None)]),
    ],
)
def test_other_sizes_are_refused(call: Callable[[Any], Any], given: Any, field: str) -> None:
    with pytest.raises(LayoutError) as refused:
        call(given)
    assert refused.value.field == field


@pytest.mark.parametrize("given", [2**70, "3", 3.0, True])
def test_other_sizes_of_a_buffer_are_refused(given: Any) -> None:
    with pytest.raises(LayoutError) as refused:
        describe("W", (1,), elements=given)
    assert refused.value.field == "elements"


def test_a_window_is_of_integers() -> None:
    with pytest.raises(LayoutError) as refused:
        window(parse_layout("HW", (3, 4)), (0, 0.5), (1, 1), (1, 1))  # type: ignore[arg-type]  # what is tested
    assert refused.value.field == "window.offsets[1]"
    with pytest.raises(LayoutError, match=r"window\.offsets\[0\]: got -1"):
        window(parse_layout("HW", (3, 4)), (-1, 0), (1, 1), (1, 1))
    with pytest.raises(LayoutError, match=r"window\.offsets: got a list of 2 entries"):
        window(parse_layout("HW", (3, 4)), [[0], [0]], (1, 1), (1, 1))  # type: ignore[list-item]  # what is tested
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
