"""Whole families of layouts against NumPy: permutations, blocks, random strides, reorder pairs."""

from dataclasses import replace
from itertools import permutations

import httpx2
import numpy as np
import pytest

from tests.api.twin import (
    Json,
    any_laid,
    decoded,
    describe,
    labelled,
    permuted,
    post,
    scattered,
    spelled,
)
from tests.engine.strategies import Seeded, scrambled

SIZES = {"N": 2, "C": 5, "D": 3, "H": 4, "W": 1}


@pytest.mark.parametrize("rank", range(1, 6))
def test_every_permutation_of_the_letters(client: httpx2.Client, rank: int) -> None:
    for letters in permutations("NCDHW", rank):
        order = "".join(letters)
        dims = "".join(sorted(order, key="NCDHW".index))
        shape = [SIZES[letter] for letter in dims]
        answer = describe(client, shape, order)
        assert "".join(answer["dims"]) == dims, order
        assert (decoded(answer) == permuted(order, shape)).all(), order
        assert answer["physical_shape"] == [SIZES[letter] for letter in order], order
        assert answer["properties"]["packed"] is True, order
        assert answer["properties"]["dense"] is True, order


@pytest.mark.parametrize("order", ["NCDHW", "WHDCN", "NDHWC", "CHWN", "HWC", "WH", "N"])
def test_offsets_and_owners_invert_each_other(client: httpx2.Client, order: str) -> None:
    dims = "".join(sorted(order, key="NCDHW".index))
    shape = [SIZES[letter] for letter in dims]
    where = permuted(order, shape)
    tensor: Json = {"shape": shape, "layout": order, "dtype": "float64"}
    coordinates = [list(at) for at in np.ndindex(*shape)]
    answer = post(client, "/offsets", {"tensor": tensor, "coordinates": coordinates})
    assert answer["offsets"] == where.ravel().tolist()
    assert answer["byte_offsets"] == (where.ravel() * 8).tolist()
    back = post(client, "/coordinates", {"tensor": tensor, "offsets": answer["offsets"]})
    assert [owner["coordinates"] for owner in back["owners"]] == [[at] for at in coordinates]


@pytest.mark.parametrize("seed", range(40))
def test_owners_of_random_strides(client: httpx2.Client, seed: int) -> None:
    """Overlapping, broadcast, flipped and interleaved strides against a plain count."""
    layout = scrambled(Seeded(seed), most_digits=1, swizzled=False)
    shape = tuple(digit.extent for (digit,) in layout.digits)
    strides = [digit.stride for (digit,) in layout.digits]
    laid = spelled(replace(layout, shape=shape))
    where, end, tensor = laid.map, laid.buffer_elems, laid.tensor

    answer = post(client, "/describe", tensor)
    distinct = len(np.unique(where))
    properties = answer["properties"]
    assert (decoded(answer) == where).all()
    assert answer["buffer"]["elements"] == end
    assert properties["overlapping"] is (distinct < where.size)
    assert properties["packed"] is (distinct == where.size == end)
    assert properties["padded"] is (end > distinct)
    assert properties["broadcast"] is any(
        d > 1 and s == 0 for d, s in zip(shape, strides, strict=True)
    )

    asked = [*range(-2, end + 2)]
    owners = post(client, "/coordinates", {"tensor": tensor, "offsets": asked})["owners"]
    for address, owner in zip(asked, owners, strict=True):
        holders = np.argwhere(where == address).tolist()
        if holders:
            assert owner["kind"] == ("element" if len(holders) == 1 else "shared")
            assert owner["count"] == len(holders)
            assert all(holder in holders for holder in owner["coordinates"])
            assert len(owner["coordinates"]) == min(64, len(holders))
        else:
            assert owner["kind"] == ("gap" if 0 <= address < end else "outside")
            assert owner["coordinates"] == []


def test_shared_address_lists_at_most_64_coordinates(client: httpx2.Client) -> None:
    tensor: Json = {"shape": [1000, 1000], "layout": {"strides": [0, 0]}}
    [owner] = post(client, "/coordinates", {"tensor": tensor, "offsets": [0]})["owners"]
    assert (owner["kind"], owner["count"]) == ("shared", 1_000_000)
    assert len(owner["coordinates"]) == 64
    assert len({tuple(at) for at in owner["coordinates"]}) == 64


@pytest.mark.parametrize("seed", range(80))
def test_random_reorder_there_and_back(client: httpx2.Client, seed: int) -> None:
    choice, rng = Seeded(seed), np.random.default_rng(seed)
    shape = [choice.of(range(1, 7)) for _ in range(4)]
    source, target = any_laid(choice, shape), any_laid(choice, shape)
    context = f"{shape}: {source.id} -> {target.id}"
    tensor = {**source.tensor, "dtype": "int32"}

    labels = post(client, "/reorder", {"source": tensor, "target": target.layout})
    assert labels["values"] == labelled(target.map, target.buffer_elems), context
    assert (decoded(labels["target"]) == target.map).all(), context
    assert isinstance(labels["plan"], dict | list), context

    values = rng.integers(1, 2**31, size=source.buffer_elems).tolist()
    there = post(client, "/reorder", {"source": tensor, "target": target.layout, "values": values})
    logical = [values[address] for address in source.map.ravel()]
    expected = scattered(target.map, logical, target.buffer_elems, 0)
    assert there["values"] == expected, context

    laid = {**target.tensor, "dtype": "int32"}
    body = {"source": laid, "target": source.layout, "values": there["values"]}
    back = post(client, "/reorder", body)["values"]
    assert back == scattered(source.map, logical, source.buffer_elems, 0), context


@pytest.mark.parametrize("seed", range(40))
def test_notations_read_back_as_the_same_layout(client: httpx2.Client, seed: int) -> None:
    choice = Seeded(seed)
    shape = [choice.of(range(1, 7)) for _ in range(4)]
    laid = any_laid(choice, shape)
    answer = describe(client, shape, laid.layout)
    assert answer["notations"]
    said = 0
    for system, notation in answer["notations"].items():
        assert set(notation) in ({"text"}, {"reason"}), system
        if "reason" in notation:
            assert notation["reason"], system
            continue
        said += 1
        spelled = f"{system}:{notation['text']}"
        again = describe(client, shape, spelled, dims="NCHW")
        assert (decoded(again) == laid.map).all(), spelled
    assert said, "some dialect must be able to say a layout of this family"


def test_canonical_spelling_reads_back(client: httpx2.Client) -> None:
    for spelling in ("NCHW", "NHWC", "CHWN", "NCHW4", "NCHW32", "CHWN4"):
        first = describe(client, (2, 8, 3, 3), spelling)
        assert describe(client, (2, 8, 3, 3), first["layout"]) == first
