"""oneDNN's plain formats, leading dimensions and submemory offsets."""

from dataclasses import dataclass

import httpx2
import pytest

from tests.api.refusals.problems import refused
from tests.api.twin import Json, decoded, describe, labelled, permuted, post, strided


@dataclass(frozen=True, slots=True)
class Matrix:
    id: str
    shape: tuple[int, int]
    strides: tuple[int, int]
    buffer_elems: int
    padded: bool
    overlapping: bool
    contiguous: bool
    onednn_bytes: int | None


MATRICES = [
    Matrix("LDA-equals-N", (3, 4), (4, 1), 12, False, False, True, 48),
    Matrix("LDA-over-N", (3, 4), (6, 1), 16, True, False, False, 72),
    Matrix("transposed-LDA-equals-M", (3, 4), (1, 3), 12, False, False, False, 48),
    Matrix("transposed-LDA-over-M", (3, 4), (1, 5), 18, True, False, False, 80),
    Matrix("LDA-under-N-overlaps", (3, 4), (3, 1), 10, False, True, False, None),
    Matrix("LDA-1-is-a-Hankel-window", (3, 4), (1, 1), 6, False, True, False, None),
]


@pytest.mark.parametrize("row", MATRICES, ids=lambda row: row.id)
def test_matrix_with_a_leading_dimension(client: httpx2.Client, row: Matrix) -> None:
    answer = describe(client, row.shape, {"strides": list(row.strides)})
    assert (decoded(answer) == strided(row.shape, row.strides)).all()
    assert answer["strides"] == list(row.strides)
    assert answer["buffer"]["elements"] == row.buffer_elems
    properties = answer["properties"]
    assert properties["padded"] is row.padded
    assert properties["overlapping"] is row.overlapping
    assert properties["contiguous"] is row.contiguous
    assert properties["broadcast"] is False
    if row.onednn_bytes is not None:
        assert answer["buffer"]["per_system"]["onednn"] == row.onednn_bytes


def test_overlapping_matrix_is_read_but_never_written(client: httpx2.Client) -> None:
    lda: Json = {"strides": [3, 1]}
    source: Json = {"shape": [3, 4], "layout": lda, "dtype": "int16"}
    values = [*range(50, 60)]
    read = post(client, "/reorder", {"source": source, "target": "HW", "values": values})
    assert read["values"] == [values[address] for address in strided((3, 4), (3, 1)).ravel()]
    packed: Json = {"shape": [3, 4], "layout": "HW"}
    refused(client, "/reorder", {"source": packed, "target": lda}, "target")


def test_submemory_keeps_the_parent_strides_and_adds_offset0(client: httpx2.Client) -> None:
    parent: Json = {"shape": [2, 8, 3, 3], "layout": "NCHW", "dtype": "int32"}
    body = {"tensor": parent, "index": ":, 2:5", "values": [*range(144)]}
    answer = post(client, "/slice", body)
    view = answer["view"]
    assert view["strides"] == [72, 9, 3, 1]
    assert view["offset"] == 18
    assert view["shape"] == [2, 3, 3, 3]
    child = strided((2, 3, 3, 3), (72, 9, 3, 1), 18).ravel().tolist()
    assert answer["offsets"] == child
    assert answer["values"] == child


def test_plain_format_labels_follow_the_permuted_letters(client: httpx2.Client) -> None:
    shape = (2, 3, 4, 5)
    source: Json = {"shape": list(shape), "layout": "NHWC"}
    answer = post(client, "/reorder", {"source": source, "target": "CHWN"})
    assert answer["values"] == labelled(permuted("CHWN", shape), 120)


@dataclass(frozen=True, slots=True)
class Matched:
    id: str
    source: Json
    target: str
    memory_axes: tuple[int, ...]
    why: str


# memory_axes: the source's logical axes from outermost to innermost in the target's memory.
MATCHED = [
    Matched("by-name", {"layout": "NCHW"}, "NHWC", (0, 2, 3, 1), "all letters occur"),
    Matched(
        "by-name-in-another-logical-order",
        {"layout": "NHWC", "dims": "NHWC"},
        "NCHW",
        (0, 3, 1, 2),
        "C is the source's last dimension",
    ),
    Matched(
        "by-name-from-strides",
        {"layout": {"strides": [60, 20, 5, 1]}, "dims": "HNCW"},
        "NCHW",
        (1, 2, 0, 3),
        "N is the source's second dimension",
    ),
    Matched(
        "by-position",
        {"layout": {"strides": [60, 20, 5, 1]}, "dims": "ABCD"},
        "NHWC",
        (0, 2, 3, 1),
        "A and B are unknown to the target, so its canonical order N C H W counts",
    ),
]


@pytest.mark.parametrize("row", MATCHED, ids=lambda row: row.id)
def test_target_letters_match_by_name_else_by_position(client: httpx2.Client, row: Matched) -> None:
    shape = [2, 3, 4, 5]
    answer = post(
        client, "/reorder", {"source": {"shape": shape, **row.source}, "target": row.target}
    )
    in_memory = [shape[axis] for axis in row.memory_axes]
    back = [row.memory_axes.index(axis) for axis in range(4)]
    numbered = strided(in_memory, packed_strides(in_memory)).transpose(back)
    assert answer["target"]["shape"] == shape
    assert answer["values"] == labelled(numbered, 120), row.why


def test_an_index_s_letters_count_by_position_where_the_source_has_others(
    client: httpx2.Client,
) -> None:
    source = {"shape": [2, 4, 1, 1], "layout": "NCHW"}
    answer = post(client, "/reorder", {"source": source, "target": "i*2+o"})
    assert answer["target"]["dims"] == "OIHW"
    assert answer["values"] == [0, 4, 1, 5, 2, 6, 3, 7]


def packed_strides(sizes: list[int]) -> list[int]:
    strides = [1]
    for size in reversed(sizes[1:]):
        strides.insert(0, strides[0] * size)
    return strides
