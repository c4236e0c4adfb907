"""oneDNN's plain formats, leading dimensions and submemory offsets."""

import httpx2
import numpy as np
import pytest

from tests.api.refusals.problems import refused
from tests.api.twin import Json, decoded, describe, labelled, permuted, post, strided

# A matrix of 3x4 with a leading dimension: elements of its buffer, what it is, oneDNN's bytes.
MATRICES = {
    "LDA-equals-N": ((4, 1), 12, {"contiguous"}, 48),
    "LDA-over-N": ((6, 1), 16, {"padded"}, 72),
    "transposed-LDA-equals-M": ((1, 3), 12, set(), 48),
    "transposed-LDA-over-M": ((1, 5), 18, {"padded"}, 80),
    "LDA-under-N-overlaps": ((3, 1), 10, {"overlapping"}, None),
    "LDA-1-is-a-Hankel-window": ((1, 1), 6, {"overlapping"}, None),
}


@pytest.mark.parametrize(
    ("strides", "elements", "those", "onednn_bytes"), MATRICES.values(), ids=MATRICES.keys()
)
def test_matrix_with_a_leading_dimension(
    client: httpx2.Client,
    strides: tuple[int, int],
    elements: int,
    those: set[str],
    onednn_bytes: int | None,
) -> None:
    answer = describe(client, (3, 4), {"strides": list(strides)})
    assert (decoded(answer) == strided((3, 4), strides)).all()
    assert answer["strides"] == list(strides)
    assert answer["buffer"]["elements"] == elements
    names = ("padded", "overlapping", "contiguous", "broadcast")
    assert {name for name in names if answer["properties"][name]} == those
    assert onednn_bytes in {None, answer["buffer"]["per_system"]["onednn"]}


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
    assert (view["strides"], view["offset"]) == ([72, 9, 3, 1], 18)
    assert view["shape"] == [2, 3, 3, 3]
    child = strided((2, 3, 3, 3), (72, 9, 3, 1), 18).ravel().tolist()
    assert answer["offsets"] == answer["values"] == child


SHAPE = [2, 3, 4, 5]
# The source's logical axes from outermost to innermost in the target's memory.
MATCHED: dict[str, tuple[Json, str, tuple[int, ...]]] = {
    "all letters occur": ({"layout": "NCHW"}, "NHWC", (0, 2, 3, 1)),
    "by name: C is the source's last dimension": (
        {"layout": "NHWC", "dims": "NHWC"},
        "NCHW",
        (0, 3, 1, 2),
    ),
    "by name: N is the source's second dimension": (
        {"layout": {"strides": [60, 20, 5, 1]}, "dims": "HNCW"},
        "NCHW",
        (1, 2, 0, 3),
    ),
    "by position: A and B are unknown to the target, so its canonical order N C H W counts": (
        {"layout": {"strides": [60, 20, 5, 1]}, "dims": "ABCD"},
        "NHWC",
        (0, 2, 3, 1),
    ),
}


@pytest.mark.parametrize(("source", "target", "axes"), MATCHED.values(), ids=MATCHED.keys())
def test_target_letters_match_by_name_else_by_position(
    client: httpx2.Client, source: Json, target: str, axes: tuple[int, ...]
) -> None:
    answer = post(client, "/reorder", {"source": {"shape": SHAPE, **source}, "target": target})
    numbered = np.arange(120).reshape([SHAPE[axis] for axis in axes])
    assert answer["target"]["shape"] == SHAPE
    assert answer["values"] == labelled(numbered.transpose(np.argsort(axes)), 120)


def test_plain_formats_and_an_index_go_by_their_letters(client: httpx2.Client) -> None:
    body: Json = {"source": {"shape": SHAPE, "layout": "NHWC"}, "target": "CHWN"}
    assert post(client, "/reorder", body)["values"] == labelled(permuted("CHWN", SHAPE), 120)
    # An index's letters count by position where the source has others.
    source = {"shape": [2, 4, 1, 1], "layout": "NCHW"}
    answer = post(client, "/reorder", {"source": source, "target": "i*2+o"})
    assert answer["target"]["dims"] == "OIHW"
    assert answer["values"] == [0, 4, 1, 5, 2, 6, 3, 7]
