"""A text that names several tensors: all of them, in order, each with its own error."""

import pytest

from app.engine.notation.paste.reading import MAX_TENSORS, Read, read_text

SESSION = """>>> a.shape, a.strides, a.dtype
((3, 4), (8, 24), dtype('float64'))
>>> b.shape
(2, 5)
>>> b.strides
(20, 4)
>>> a.shape
(3, 4)
"""
LOOP = """torch.Size([2, 3]) (3, 1) torch.float32
torch.Size([2, 3]) (1, 2) torch.float32
torch.Size([4]) (1,) torch.int8
torch.Size([2, 3]) (3, 1) torch.float32
"""
MLIR = """func.func @f(%a: memref<2x3xf32>, %b: memref<4xf16, strided<[2]>>) {
  %c = memref.alloc() : memref<5xi8>"""
SEVERAL = [
    ("session", SESSION, [
        ("a", 1, (3, 4), "float64", "numpy:(8, 24)", None),
        ("b", 3, (2, 5), None, "numpy:(20, 4)", (4, 2, 1)),
    ]),
    ("loop", LOOP, [
        (None, 1, (2, 3), "float32", "(3, 1)", None),
        (None, 2, (2, 3), "float32", "(1, 2)", None),
        (None, 3, (4,), "int8", "(1,)", None),
    ]),
    ("mlir", MLIR, [
        ("a", 1, (2, 3), "float32", "mlir:memref<2x3xf32>", None),
        ("b", 1, (4,), "float16", "mlir:memref<4xf16, strided<[2]>>", None),
        ("c", 2, (5,), "int8", "mlir:memref<5xi8>", None),
    ]),
    ("interfaces", "{'shape': (2,), 'typestr': '<f8'}\n{'shape': (3,), 'typestr': '|i1'}", [
        (None, 1, (2,), "float64", "numpy:C", None), (None, 2, (3,), "int8", "numpy:C", None),
    ]),
    ("a part, then the whole", "torch.Size([2, 3])\ntorch.Size([2, 3]) (1, 2)", [
        (None, 1, (2, 3), None, "(1, 2)", None),
    ]),
    ("names beside sizes", "x torch.Size([2, 3])\ny torch.Size([2, 3]) torch.int8\n"
        "q: torch.Size([4]) (1,) k: torch.Size([4]) (1,)", [
        ("x", 1, (2, 3), None, None, None), ("y", 2, (2, 3), "int8", None, None),
        ("q", 3, (4,), None, "(1,)", None), ("k", 3, (4,), None, "(1,)", None),
    ]),
    ("types, then sizes", "mat1 dtype torch.int8 and mat2 dtype torch.float32, shapes "
        "torch.Size([2, 3]) torch.Size([3, 4])", [
        (None, 1, (2, 3), "int8", None, None), (None, 1, (3, 4), "float32", None, None),
    ]),
    ("flags between two arrays", ">>> x.strides\n(24, 8)\n>>> x.shape\n(2, 3)\n>>> y.flags\n"
        "  C_CONTIGUOUS : True\n  F_CONTIGUOUS : False\n>>> y.shape\n(4,)\n", [
        ("x", 1, (2, 3), None, "numpy:(24, 8)", (8, 4, 2, 1)), ("y", 8, (4,), None, None, None),
    ]),
    ("an endless line of hlo", f"%x = f32[{'1,' * 3000}1]{{0}}\n%y = f32[2]{{0}}", [
        ("y", 2, (2,), "float32", "xla:f32[2]{0}", None),
    ]),
    ("a type of hlo that has no name here", "%x = f8e3m4[2]{0}\n%y = f32[3]{0}", [
        ("y", 2, (3,), "float32", "xla:f32[3]{0}", None),
    ]),
]  # fmt: skip  # a text, then the tensors that it names


@pytest.mark.parametrize(
    ("text", "expected"), [r[1:] for r in SEVERAL], ids=[r[0] for r in SEVERAL]
)
def test_all_tensors_of_a_text_are_found(text: str, expected: list[tuple[object, ...]]) -> None:
    found = read_text(text).tensors
    assert [(t.role, t.line, t.shape, t.dtype, t.layout, t.itemsizes) for t in found] == expected


def test_a_wrong_value_after_two_tensors_is_listed_with_its_reason() -> None:
    read = read_text("shape=(2, 3)\nshape=(4,), stride=(1,)\nshape=(5, 'a')\n")
    assert [one.shape for one in read.tensors] == [(2, 3), (4,), None]
    assert "a number in place of 'a'" in (read.tensors[2].problem or "")
    assert read.tensors[2].line == 3
    assert read.shape == (2, 3)


@pytest.mark.parametrize(
    ("text", "shape", "problem"),
    [
        ("float x[2];\nfloat y[99999999999][99999999999];", (99999999999,) * 2, "exceeds 2^63-1"),
        ("float x[2];\nfloat y[2 3];", None, "a comma or a closing ]"),
    ],
)
def test_what_is_wrong_after_the_first_declaration_is_listed_with_its_reason(
    text: str, shape: tuple[int, ...] | None, problem: str
) -> None:
    one, two = read_text(text).tensors
    assert (one.shape, one.problem, two.shape, two.line) == ((2,), None, shape, 2)
    assert problem in (two.problem or "")


def test_one_type_or_one_notation_is_no_list_of_tensors() -> None:
    assert read_text("torch.half") == Read(None, "float16", None, None)
    too_far = "memref<2x3xf32, strided<[9223372036854775807, 1]>>"
    assert read_text(too_far) == Read((2, 3), "float32", too_far, "mlir")


def test_the_list_is_bounded_and_says_how_many_are_left_out() -> None:
    text = "".join(f"shape=({n + 1}, 2)\n" for n in range(MAX_TENSORS + 7))
    read = read_text(text)
    assert (len(read.tensors), read.left_out) == (MAX_TENSORS, 7)
    repeated = read_text("shape=(3, 2)\n" + text + "f(shape=(3, 2))\n")
    assert repeated.tensors[0].times == 3
    assert repeated.left_out == 7


# Of torch.profiler 2.13, key_averages(group_by_input_shape=True).table(), without some columns.
PROFILE = """\
                          Name    Self CPU %    # of Calls                      Input Shapes
------------------------------  ------------  ------------  --------------------------------
                  aten::conv2d         0.04%             1  [[1, 3, 16, 16], [8, 3, 3, 3], [8], []]
            aten::_convolution         0.05%             1  [[1, 3, 16, 16], [], []]
                    aten::item         0.05%             1  [[]]
"""


def test_the_rows_of_a_profile_are_the_sizes_of_their_inputs() -> None:
    read = read_text(PROFILE)
    assert [(t.source, t.role, t.line, t.shape) for t in read.tensors] == [
        ("aten::conv2d", "input0", 3, (1, 3, 16, 16)),
        ("aten::conv2d", "input1", 3, (8, 3, 3, 3)),
        ("aten::conv2d", "input2", 3, (8,)),
        ("aten::_convolution", "input0", 4, (1, 3, 16, 16)),
    ]
    assert (read.shape, read.dtype, read.layout) == ((1, 3, 16, 16), None, None)
