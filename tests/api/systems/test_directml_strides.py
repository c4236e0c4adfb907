"""DirectML's sizes, strides, packed, broadcast and padded tensors."""

import httpx2
import pytest

from tests.api.twin import Json, decoded, describe, post, strided

# Layout, dimensions, strides, and the letters of the figure as they lie in memory.
NAMED = [
    ("HW", "HW", (2, 3), (3, 1), "ABCDEF"),
    ("WH", "HW", (2, 3), (1, 2), "ADBECF"),
    ("DHW", "DHW", (2, 2, 3), (6, 3, 1), "ABCDEFGHIJKL"),
    ("WHD", "DHW", (2, 2, 3), (1, 2, 4), "AGDJBHEKCIFL"),
    ("NCHW", "NCHW", (1, 1, 3, 5), (15, 15, 5, 1), ""),
    ("NHWC", "NCHW", (1, 1, 3, 5), (15, 1, 5, 1), ""),
    ("NCDHW", "NCDHW", (2, 3, 2, 2, 2), (24, 8, 4, 2, 1), ""),
]


@pytest.mark.parametrize(("layout", "dims", "shape", "strides", "memory"), NAMED)
def test_a_named_order_has_packed_strides_and_the_figure_s_letters(
    client: httpx2.Client,
    layout: str,
    dims: str,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    memory: str,
) -> None:
    answer = describe(client, shape, layout)
    assert (answer["shape"], "".join(answer["dims"])) == (list(shape), dims)
    assert (answer["strides"], answer["offset"]) == (list(strides), 0)
    assert (decoded(answer) == strided(shape, strides)).all()
    assert answer["properties"]["packed"] is True
    assert answer["properties"]["padded"] is False
    source = {"shape": list(shape), "layout": dims, "dtype": "uint8"}
    if memory:
        body = {"source": source, "target": layout, "values": [*map(ord, sorted(memory))]}
        assert "".join(map(chr, post(client, "/reorder", body)["values"])) == memory


PADDED: Json = {"shape": [2, 3], "layout": {"strides": [5, 1]}, "elements": 10}


@pytest.mark.parametrize(
    ("tensor", "elements", "those"),
    [
        ({"shape": [2, 3], "layout": {"strides": [0, 1]}}, 3, {"broadcast", "overlapping"}),
        (PADDED, 10, {"padded"}),
    ],
)
def test_a_broadcast_and_a_padded_tensor(
    client: httpx2.Client, tensor: Json, elements: int, those: set[str]
) -> None:
    answer = post(client, "/describe", tensor)
    assert answer["strides"] == tensor["layout"]["strides"]
    assert (answer["buffer"]["elements"], answer["buffer"]["bytes"]) == (elements, 4 * elements)
    names = ("broadcast", "overlapping", "padded", "packed")
    assert {name for name in names if answer["properties"][name]} == those


def test_ten_element_figure_names_the_owner_of_every_address(client: httpx2.Client) -> None:
    answer = post(client, "/coordinates", {"tensor": PADDED, "offsets": [*range(-1, 11)]})
    figure = {0: [0, 0], 1: [0, 1], 2: [0, 2], 5: [1, 0], 6: [1, 1], 7: [1, 2]}
    for address, owner in zip(range(-1, 11), answer["owners"], strict=True):
        kind = "element" if address in figure else "gap" if 0 <= address < 10 else "outside"
        found = [figure[address]] if address in figure else []
        said = {"offset": address, "kind": kind, "count": len(found), "coordinates": found}
        assert owner == said


def test_padded_figure_reads_back_packed_and_there_again(client: httpx2.Client) -> None:
    source = {**PADDED, "dtype": "uint8"}
    body = {"source": source, "target": "HW", "values": list(b"ABCxxDEFxx")}
    packed = post(client, "/reorder", body)["values"]
    assert bytes(packed) == b"ABCDEF"
    there = {"shape": [2, 3], "layout": "HW", "dtype": "uint8"}
    back = {"source": there, "target": PADDED["layout"], "values": packed}
    assert bytes(post(client, "/reorder", back)["values"]) == b"ABC\0\0DEF"


# DMLCalcBufferTensorSize: (1 + sum of (size - 1) * stride) * item bytes, rounded up to 4.
# oneDNN: the largest of size * stride. An offset does not count.
MINIMUM = [
    ((2, 3), (3, 1), 7, "float32", 24, 24, 24),
    ((2, 3), (0, 1), 0, "float32", 12, 12, None),
    ((2, 3), (5, 1), 0, "float32", 32, 32, 40),
    ((2, 3), (1, 2), 0, "float16", 12, 12, 12),
    ((1, 3), (3, 1), 0, "float16", 8, 6, 6),
    ((1, 5), (5, 1), 0, "int8", 8, 5, 5),
    ((2, 3), (5, 1), 0, "uint8", 8, 8, 10),
]


@pytest.mark.parametrize(
    ("shape", "strides", "offset", "dtype", "directml", "numpy", "onednn"), MINIMUM
)
def test_minimum_buffer_by_system(
    client: httpx2.Client,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    offset: int,
    dtype: str,
    directml: int,
    numpy: int,
    onednn: int | None,
) -> None:
    layout: Json = {"strides": list(strides), "offset": offset}
    per_system = describe(client, shape, layout, dtype=dtype)["buffer"]["per_system"]
    assert (per_system["directml"], per_system["numpy"]) == (directml, numpy)
    assert per_system["pytorch"] == numpy
    assert onednn in {None, per_system["onednn"]}


# A tensor of height 3 and width 5, whose sizes DirectML writes {1, 1, 3, 5}.
DIRECTML: dict[tuple[int, ...], tuple[str, ...]] = {
    (15, 15, 5, 1): ("null", "NCHW", "HW", "{15, 15, 5, 1}", "{5, 1}"),
    (15, 1, 5, 1): ("NHWC", "{15, 1, 5, 1}"),
}


@pytest.mark.parametrize("strides", DIRECTML)
def test_directml_fills_missing_leading_dimensions(
    client: httpx2.Client, strides: tuple[int, ...]
) -> None:
    for text in DIRECTML[strides]:
        answer = describe(client, (3, 5), f"directml:{text}")
        assert (answer["shape"], answer["strides"]) == ([1, 1, 3, 5], list(strides)), text
        assert answer["buffer"]["elements"] == 15
