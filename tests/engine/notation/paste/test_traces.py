"""Inputs of operators in a trace of torch.profiler: torch.profiler.profile(record_shapes=True,
with_stack=False).export_chrome_trace, and its execution trace observer."""

import pytest

from app.engine import LayoutError
from app.engine.notation.paste.reading import read_text
from tests.engine.notation.paste.checks import assert_reads_like

MM = (
    '{"name": "aten::mm", "args": {"Input Dims": [[128, 64], [64, 32]], '
    '"Input type": ["c10::BFloat16", "c10::BFloat16"], "Input Strides": [[64, 1], [1, 32]]}}'
)
CONV = """{
    "ph": "X", "cat": "cpu_op", "name": "aten::conv2d", "pid": 1, "tid": 1,
    "ts": 5.1, "dur": 3.2,
    "args": {
      "External id": 10,"Record function id": 0, "Concrete Inputs": ["", "", "", "[1, 1]", "1"],
      "Input type": ["float", "float", "", "ScalarList", "Scalar"],
      "Input Strides": [[200704, 1, 3584, 64], [576, 1, 192, 64], [], [], []],
      "Input Dims": [[8, 64, 56, 56], [64, 64, 3, 3], [], [], []], "Ev Idx": 9
    }
}"""
VIEW = (
    'external_id=22811: `aten::view` {"Concrete Inputs": ["", "[-1, 256]"], '
    '"Input Dims": [[2797, 2, 128], []], "Input Strides": [[2048, 128, 1], []], '
    '"Input type": ["c10::Half", "ScalarList"]}'
)
CAT = (
    '"args": {"Input Dims": [[[2, 3], [2, 5]], []], "Input type": ["TensorList", "Scalar"], '
    '"Input Strides": [[[3, 1], [5, 1]], []]}'
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MM, [
            ("aten::mm", "input0", (128, 64), "bfloat16", "(64, 1)"),
            ("aten::mm", "input1", (64, 32), "bfloat16", "(1, 32)"),
        ]),
        (CONV, [
            ("aten::conv2d", "input0", (8, 64, 56, 56), "float32", "(200704, 1, 3584, 64)"),
            ("aten::conv2d", "input1", (64, 64, 3, 3), "float32", "(576, 1, 192, 64)"),
        ]),
        (VIEW, [("aten::view", "input0", (2797, 2, 128), "float16", "(2048, 128, 1)")]),
        (CAT, [
            (None, "input0.0", (2, 3), None, "(3, 1)"), (None, "input0.1", (2, 5), None, "(5, 1)"),
        ]),
        ('"Input Dims": [[2, 3]], "Input type": ["long int"]', [
            (None, "input0", (2, 3), "int64", None),
        ]),
        (f"[{MM},\n{CONV}]", [
            ("aten::mm", "input0", (128, 64), "bfloat16", "(64, 1)"),
            ("aten::mm", "input1", (64, 32), "bfloat16", "(1, 32)"),
            ("aten::conv2d", "input0", (8, 64, 56, 56), "float32", "(200704, 1, 3584, 64)"),
            ("aten::conv2d", "input1", (64, 64, 3, 3), "float32", "(576, 1, 192, 64)"),
        ]),
    ],
)  # fmt: skip  # a row on several lines where it is long
def test_the_inputs_of_a_trace(text: str, expected: list[tuple[object, ...]]) -> None:
    found = read_text(text).tensors
    assert [(t.source, t.role, t.shape, t.dtype, t.layout) for t in found] == expected


def test_strides_that_do_not_fit_are_the_problem_of_their_input() -> None:
    one, two = read_text('{"Input Dims": [[2, 3], [4]], "Input Strides": [[3], [1]]}').tensors
    assert "2 strides, one per size" in (one.problem or "")
    assert (two.shape, two.layout, two.problem) == ((4,), "(1,)", None)


@pytest.mark.parametrize(
    "text",
    [
        '{"Input Dims": [[2,, 3]]}',
        '"Input Dims": ' + "[" * 4000 + "]" * 4000,
        # Strides of several tensors, whose sizes are not read, are not sizes and strides of one.
        '"Input Strides": [[64, 1], [1, 32]]',
        "strides: [[64, 1], [1, 32]]",
    ],
)
def test_lists_that_no_input_has_are_refused(text: str) -> None:
    with pytest.raises(LayoutError):
        read_text(text)


@pytest.mark.parametrize(
    "piece", ['"Input Dims": [[2]] ', '"Input Dims": [', '{"Input Dims": [[[]]]}']
)
def test_a_trace_costs_what_its_length_explains(piece: str) -> None:
    assert_reads_like(MM * 100, (piece * len(MM) * 100)[: len(MM) * 100], times=10)
