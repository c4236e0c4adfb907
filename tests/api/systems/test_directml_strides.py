"""DirectML's sizes, strides, packed, broadcast and padded tensors."""

from dataclasses import dataclass

import httpx2
import pytest

from tests.api.twin import Json, decoded, describe, post, strided


@dataclass(frozen=True, slots=True)
class Named:
    id: str
    shape: tuple[int, ...]
    layout: str
    dims: str
    strides: tuple[int, ...]
    memory: str


NAMED = [
    Named("row-major-2x3", (2, 3), "HW", "HW", (3, 1), "ABCDEF"),
    Named("column-major-2x3", (2, 3), "WH", "HW", (1, 2), "ADBECF"),
    Named("DHW-2x2x3", (2, 2, 3), "DHW", "DHW", (6, 3, 1), "ABCDEFGHIJKL"),
    Named("WHD-2x2x3", (2, 2, 3), "WHD", "DHW", (1, 2, 4), "AGDJBHEKCIFL"),
    Named("NCHW-1x1x3x5", (1, 1, 3, 5), "NCHW", "NCHW", (15, 15, 5, 1), ""),
    Named("NHWC-1x1x3x5", (1, 1, 3, 5), "NHWC", "NCHW", (15, 1, 5, 1), ""),
    Named("NCDHW-2x3x2x2x2", (2, 3, 2, 2, 2), "NCDHW", "NCDHW", (24, 8, 4, 2, 1), ""),
]


@pytest.mark.parametrize("row", NAMED, ids=lambda row: row.id)
def test_named_order_has_the_packed_strides(client: httpx2.Client, row: Named) -> None:
    answer = describe(client, row.shape, row.layout)
    assert answer["shape"] == list(row.shape)
    assert "".join(answer["dims"]) == row.dims
    assert answer["strides"] == list(row.strides)
    assert answer["offset"] == 0
    assert (decoded(answer) == strided(row.shape, row.strides)).all()
    assert answer["properties"]["packed"] is True
    assert answer["properties"]["padded"] is False


@pytest.mark.parametrize("row", [r for r in NAMED if r.memory], ids=lambda row: row.id)
def test_letters_lie_in_memory_as_the_figure_shows(client: httpx2.Client, row: Named) -> None:
    packed = {2: "HW", 3: "DHW"}[len(row.shape)]
    source = {"shape": list(row.shape), "layout": packed, "dtype": "uint8"}
    codes = [ord(letter) for letter in sorted(row.memory)]
    answer = post(client, "/reorder", {"source": source, "target": row.layout, "values": codes})
    assert "".join(map(chr, answer["values"])) == row.memory
    assert answer["target"]["strides"] == list(row.strides)


BROADCAST: Json = {"shape": [2, 3], "layout": {"strides": [0, 1]}}


def test_stride_0_over_rows_keeps_three_physical_elements(client: httpx2.Client) -> None:
    answer = post(client, "/describe", BROADCAST)
    assert answer["buffer"]["elements"] == 3
    assert answer["buffer"]["bytes"] == 12
    properties = answer["properties"]
    assert properties["broadcast"] is True
    assert properties["overlapping"] is True
    assert properties["packed"] is False
    assert properties["padded"] is False


PADDED: Json = {"shape": [2, 3], "layout": {"strides": [5, 1]}, "elements": 10}


def test_height_stride_5_pads_the_ten_element_buffer(client: httpx2.Client) -> None:
    answer = post(client, "/describe", PADDED)
    assert answer["strides"] == [5, 1]
    assert answer["buffer"]["elements"] == 10
    assert answer["buffer"]["bytes"] == 40
    assert answer["properties"]["padded"] is True
    assert answer["properties"]["packed"] is False
    assert answer["properties"]["overlapping"] is False


def test_ten_element_figure_names_the_owner_of_every_address(client: httpx2.Client) -> None:
    answer = post(client, "/coordinates", {"tensor": PADDED, "offsets": [*range(-1, 11)]})
    figure = {0: [0, 0], 1: [0, 1], 2: [0, 2], 5: [1, 0], 6: [1, 1], 7: [1, 2]}
    for owner in answer["owners"]:
        address = owner["offset"]
        if address in figure:
            assert (owner["kind"], owner["count"]) == ("element", 1)
            assert owner["coordinates"] == [figure[address]]
        else:
            assert owner["kind"] == ("gap" if 0 <= address < 10 else "outside")
            assert owner["coordinates"] == []
    assert [owner["offset"] for owner in answer["owners"]] == [*range(-1, 11)]


def test_padded_figure_reads_back_packed_and_there_again(client: httpx2.Client) -> None:
    source = {**PADDED, "dtype": "uint8"}
    body = {"source": source, "target": "HW", "values": list(b"ABCxxDEFxx")}
    packed = post(client, "/reorder", body)["values"]
    assert bytes(packed) == b"ABCDEF"
    there = {"shape": [2, 3], "layout": "HW", "dtype": "uint8"}
    back = {"source": there, "target": PADDED["layout"], "values": packed}
    assert bytes(post(client, "/reorder", back)["values"]) == b"ABC\0\0DEF"


@dataclass(frozen=True, slots=True)
class Minimum:
    id: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    directml: int
    numpy: int
    onednn: int | None


# DMLCalcBufferTensorSize: (1 + sum of (size - 1) * stride) * item bytes, rounded up to 4.
# oneDNN: the largest of size * stride.
MINIMUM = [
    Minimum("packed-2x3-float32", (2, 3), (3, 1), "float32", 24, 24, 24),
    Minimum("broadcast-2x3-float32", (2, 3), (0, 1), "float32", 12, 12, None),
    Minimum("padded-2x3-float32", (2, 3), (5, 1), "float32", 32, 32, 40),
    Minimum("column-major-2x3-float16", (2, 3), (1, 2), "float16", 12, 12, 12),
    Minimum("1x3-float16-rounds-up", (1, 3), (3, 1), "float16", 8, 6, 6),
    Minimum("5-int8-rounds-up", (1, 5), (5, 1), "int8", 8, 5, 5),
    Minimum("padded-2x3-uint8", (2, 3), (5, 1), "uint8", 8, 8, 10),
]


@pytest.mark.parametrize("row", MINIMUM, ids=lambda row: row.id)
def test_minimum_buffer_by_system(client: httpx2.Client, row: Minimum) -> None:
    answer = describe(client, row.shape, {"strides": list(row.strides)}, dtype=row.dtype)
    per_system = answer["buffer"]["per_system"]
    assert per_system["directml"] == row.directml
    assert per_system["numpy"] == row.numpy
    assert per_system["pytorch"] == row.numpy
    if row.onednn is not None:
        assert per_system["onednn"] == row.onednn


def test_per_system_sizes_leave_the_offset_out(client: httpx2.Client) -> None:
    answer = describe(client, (2, 3), {"strides": [3, 1], "offset": 7})
    assert answer["offset"] == 7
    assert answer["buffer"]["elements"] == 13
    assert answer["buffer"]["per_system"]["numpy"] == 24
    assert answer["buffer"]["per_system"]["directml"] == 24


# A tensor of height 3 and width 5, whose sizes DirectML writes {1, 1, 3, 5}.
DIRECTML = {
    "directml:null": (15, 15, 5, 1),
    "directml:NCHW": (15, 15, 5, 1),
    "directml:HW": (15, 15, 5, 1),
    "directml:{15, 15, 5, 1}": (15, 15, 5, 1),
    "directml:{5, 1}": (15, 15, 5, 1),
    "directml:NHWC": (15, 1, 5, 1),
    "directml:{15, 1, 5, 1}": (15, 1, 5, 1),
}


@pytest.mark.parametrize(("layout", "strides"), DIRECTML.items(), ids=DIRECTML.keys())
def test_directml_fills_missing_leading_dimensions(
    client: httpx2.Client, layout: str, strides: tuple[int, ...]
) -> None:
    answer = describe(client, (3, 5), layout)
    assert answer["shape"] == [1, 1, 3, 5]
    assert answer["strides"] == list(strides)
    assert answer["buffer"]["elements"] == 15
