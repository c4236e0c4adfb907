"""Printed graphs, calls that make tensors and views: what PyTorch 2.13 and NumPy 2.4 answer."""

from typing import Any

import numpy as np
import pytest

from app.engine import Layout, offset_map, parse_layout
from app.engine.notation.paste.calls import read_views
from app.engine.notation.paste.reading import FoundTensor, read_text
from app.engine.notation.view_steps import OPS
from tests.engine.notation.paste.checks import Refused, only, refuses

NHWC = (160, 1, 40, 8)
SHAPE = (2, 8, 4, 5)
FILLED = "torch.randn(2, 3, 4, 5)"
# A text, then the sizes, strides, offset and type of the tensor that it makes.
MADE = [
    ("f32[2, 8, 4, 5][160, 1, 40, 8]cpu", SHAPE, NHWC, 0, "float32"),
    ("f8e4m3fn[8, 2][1, 8]", (8, 2), (1, 8), 0, "float8_e4m3fn"),
    ('add: "f32[2, 8, 4, 5][160, 1, 40, 8]cpu" = f(x_1, y_1)', SHAPE, NHWC, 0, "float32"),
    ("empty_strided_cuda((2, 8, 4, 5), (160, 1, 40, 8), torch.float32)", SHAPE, NHWC, 0, "float32"),
    ("b = empty_strided_cpu((2, 8), (1, 2), torch.int8)", (2, 8), (1, 2), 0, "int8"),
    ("rand_strided((2,), (3,), device='cuda:0', dtype=torch.half)", (2,), (3,), 0, "float16"),
    ("assert_size_stride(arg0_1, (2, 8, 4, 5), (160, 1, 40, 8), 'op')", SHAPE, NHWC, 0, None),
    ("reinterpret_tensor(buf0, (16, 20), (20, 1), 4)", (16, 20), (20, 1), 4, None),
    ("x.as_strided(size=(2, 3), stride=(1, 2), storage_offset=5)", (2, 3), (1, 2), 5, None),
    ("torch.ops.aten.as_strided.default(x, [2], [4], 1)", (2,), (4,), 1, None),
    ("torch.zeros(2, 1, 4, 5).to(memory_format=torch.channels_last)",
        (2, 1, 4, 5), (20, 1, 5, 1), 0, "float32"),
    ("torch.zeros(2, 1, 4, 5).contiguous(memory_format=torch.channels_last)",
        (2, 1, 4, 5), (20, 20, 5, 1), 0, "float32"),
    ("torch.empty((2, 3, 4, 5), dtype=torch.half, memory_format=torch.channels_last)",
        (2, 3, 4, 5), (60, 1, 15, 3), 0, "float16"),
    ("torch.zeros(torch.Size([2, 3]))[1:].to(memory_format=torch.contiguous_format).float()",
        (1, 3), (3, 1), 3, "float32"),
    ("torch.zeros(0).as_strided((0,), (1,))", (0,), (1,), 0, "float32"),
    ("rearrange(torch.zeros(2, 3, 4), 'a b c -> a (b c)')", (2, 12), (12, 1), 0, "float32"),
    ("np.zeros((2, 3)).T.copy()[1:].flatten()", (4,), (1,), 0, "float64"),
    ("torch.randint(0, 9, (2, 3))", (2, 3), (3, 1), 0, "int64"),
    ("np.arange(8, 0, -3)", (3,), (1,), 0, "int64"),
    (f"{FILLED}[..., 1]", (2, 3, 4), (60, 20, 5), 1, "float32"),
    (f"{FILLED}.permute(0, 2, 3, 1)", (2, 4, 5, 3), (60, 5, 1, 20), 0, "float32"),
    (f"{FILLED}.permute(0, 2, 3, 1).contiguous()", (2, 4, 5, 3), (60, 15, 3, 1), 0, "float32"),
    (f"{FILLED}.unfold(-1, 3, 2)", (2, 3, 4, 2, 3), (60, 20, 5, 2, 1), 0, "float32"),
    (f"{FILLED}.transpose(1, 2).flatten(1)", (2, 60), (60, 1), 0, "float32"),
    ("torch.ones(2, 3, 4).mT.half().select(0, 1)", (4, 3), (1, 4), 12, "float16"),
    ("torch.empty(4, 6).t().clone().narrow(0, 1, 2)", (2, 4), (1, 6), 1, "float32"),
    ("torch.zeros(2, 3).t().flip(0)", (3, 2), (1, 3), 0, "float32"),
    ("torch.zeros(2, 3)[None].squeeze().expand(4, -1, -1)", (4, 2, 3), (0, 3, 1), 0, "float32"),
    ("np.zeros((3, 4), order='F')[:, ::2]", (3, 2), (1, 6), 0, "float64"),
    ("np.arange(24).reshape(2, 3, 4)[::-1].T", (4, 3, 2), (1, 4, -12), 12, "int64"),
    ("np.zeros((2, 3))[:, ::2].astype(float).ravel()", (4,), (1,), 0, "float64"),
    ("np.full((2,), 1, dtype='<f4')", (2,), (1,), 0, "float32"),
    ("print(np.flip(np.zeros((4, 5)), 0).strides[0])", (4, 5), (-5, 1), 15, "float64"),
    ("np.transpose(np.zeros((2, 3, 4)), (2, 0, 1))[1:]", (3, 2, 3), (1, 12, 4), 1, "float64"),
    ("torch.from_numpy(np.zeros((2, 3, 4)).transpose(2, 0, 1)).transpose(0, 1)",
        (2, 4, 3), (12, 1, 4), 0, "float64"),
]  # fmt: skip  # a row on two lines where it is long


@pytest.mark.parametrize("row", MADE, ids=lambda row: row[0])
def test_what_a_call_makes(row: tuple[str, tuple[int, ...], tuple[int, ...], int, str]) -> None:
    text, shape, strides, offset, dtype = row
    read = read_text(text)
    assert (read.shape, read.dtype, read.layout is None) == (shape, dtype, False)
    layout = parse_layout(read.layout or "", shape)
    assert (layout.strides, layout.offset) == (strides, offset)


# Statements, then the name, sizes, strides and offset of each tensor; and what is not read.
NAMED: list[tuple[str, list[tuple[str | None, *tuple[object, ...]]], tuple[str, ...]]] = [
    (">>> x = np.zeros((4, 6)); y = x[1:, ::2]",
        [("x", (4, 6), (6, 1), 0), ("y", (3, 3), (6, 2), 6)], ()),
    ("x = torch.zeros(4, 6)\nx = x.t()  # turned\nx[1]",
        [("x", (4, 6), (6, 1), 0), ("x", (6, 4), (1, 6), 0), (None, (4,), (6,), 1)], ("turned",)),
    ("x = torch.zeros(4, 6)\ny = torch.permute(x, (1, 0))\nz = y.as_strided((2,), (3,), 4)",
        [("x", (4, 6), (6, 1), 0), ("y", (6, 4), (1, 6), 0), ("z", (2,), (3,), 4)], ()),
    ("x = np.zeros((4, 6), 'f4')\ny = np.lib.stride_tricks.as_strided(x, (2, 3), (8, 4))",
        [("x", (4, 6), (6, 1), 0), ("y", (2, 3), (2, 1), 0)], ()),
    ("x = torch.zeros(2, 3).stride()\nx[0]", [(None, (2, 3), (3, 1), 0)], ("x", "x[0]")),
    ("a = np.zeros((2, 3))\nb = torch.from_numpy(a)\nc = b.t()",
        [("a", (2, 3), (3, 1), 0), ("b", (2, 3), (3, 1), 0), ("c", (3, 2), (1, 3), 0)], ()),
    ("x = torch.zeros(2)\nx = f(x)\ny = x[0]", [("x", (2,), (1,), 0)], ("x = f(x)", "y = x[0]")),
    ("x = torch.zeros(2)\nfor x in f():\n    y = x[0]",
        [("x", (2,), (1,), 0)], ("for x in f()", "y = x[0]")),
    ("x = torch.zeros(2, 3)\nx.t_()\ny = x[0]",
        [("x", (2, 3), (3, 1), 0)], ("x.t_()", "y = x[0]")),
    ("x = torch.zeros(2)\ny = x[0] + 1\nz = x.softmax(0)\nprint(x[0])",
        [("x", (2,), (1,), 0)], ("y = x[0] + 1", "z = x.softmax(0)", "print(x[0])")),
    ("x = torch.zeros(2, 6, 4, 5)\ny = einops.rearrange(x, 'b c h w -> b h w c')\nz = y[0]",
        [("x", (2, 6, 4, 5), (120, 20, 5, 1), 0), ("y", (2, 4, 5, 6), (120, 5, 1, 20), 0),
         ("z", (4, 5, 6), (5, 1, 20), 0)], ()),
    ("y = rearrange(torch.zeros(2, 8, 3, 3), 'b (c x) h w -> b c h w x', x=4)",
        [("y", (2, 2, 3, 3, 4), (72, 36, 3, 1, 9), 0)], ()),
    ("rearrange(np.zeros((2, 8, 3)), '... w -> w 1 ...')",
        [(None, (3, 1, 2, 8), (1, 48, 24, 3), 0)], ()),
    ("y = einops.reduce(torch.zeros(2, 3), 'a b -> a', 'max')",
        [(None, (2, 3), (3, 1), 0)], ("y = einops.reduce", "a b -> a', 'max')")),
]  # fmt: skip  # a row on two lines where it is long


@pytest.mark.parametrize(("text", "tensors", "unread"), NAMED, ids=[row[0] for row in NAMED])
def test_views_of_a_named_tensor(
    text: str, tensors: list[tuple[object, ...]], unread: tuple[str, ...]
) -> None:
    read = read_text(text)
    found = [(t.role, t.shape, t.layout) for t in read.tensors]
    assert found == [
        (name, shape, f"{strides}" + (f"+{offset}" if offset else ""))
        for name, shape, strides, offset in tensors
    ]
    assert read.unread == unread


REFUSED: list[Refused] = [
    ("x[rows, 1:3]", 2, "an integer, a slice"),
    ("f(np.sum(np.zeros((4, 5)), axis=0))", 5, "one of permute"),
    # PyTorch's empty slice begins at its start, here behind the 18 elements.
    ("torch.zeros(2, 9)[2:].as_strided((2,), (1,))", 22, "this one needs 20"),
    ("torch.empty_strided((2, 3), (1, -2))", 6, "from 0"),
    ("np.lib.stride_tricks.as_strided(x, (2,), (8,))", 41, "strides in bytes"),
    ("f32[2, 8][8]cpu", 9, "2 strides"),
    ("torch.randn(n, 3)", 12, "in place of n, which"),
    ("torch.empty(2, 3, dtype=torch.float7)", 30, "one of float64"),
    ("torch.empty(-2)", 6, "from 0 to 2^63-1"),
    ("torch.rand(2, 3).permute(0)", 17, "each of the 2 dimensions"),
    ("torch.rand(2, 3).t().view(6)", 21, "reshape: a view is not possible"),
    ("torch.rand(2, 3)[::-1]", 17, "no negative strides"),
    ("torch.rand(6)[::2].half()", 19, "a dense tensor"),
    ("torch.rand(2, 3, 4).t()", 20, "at most two dimensions"),
    ("torch.empty_strided((2, 3), (1,))", 28, "2 strides"),
    (f"np.arange({10**30})", 10, "2^63-1"),
    ("x" + "[0]" * 70, 0, "at most 64 views"),
    ("torch.rand(2, 3).flip(0, -2)", 17, "distinct"),
    ("np.zeros(3).mT", 12, "two dimensions"),
    ("torch.rand(2, 3).contiguous(memory_format=torch.channels_last)", 17, "a format for rank 2"),
    ("torch.rand(2, 3).to(memory_format=torch.channels_last)", 17, "4 sizes for channels_last"),
    ("torch.rand(2, 3).contiguous(memory_format=torch.odd)", 48, "one of contiguous_format"),
    ("np.arange(1, 5, 0)", 3, "other than 0"),
    ("torch.rand(2, 3).permute[0]", 17, "brackets"),
    ("x.swapaxes(0, 1, 2)", 2, "2 arguments"),
    ("x.select((0, 1), 1)", 9, "an integer"),
    ("torch.rand(2).t()(0)", 0, "a method of a tensor"),
    ("as_strided(x, 2, 3)", 0, "sizes and strides"),
    ("np.zeros(3, colour=1)", 19, "no colour="),
    ("x.flatten(dim=x)", 14, "no dim="),
    ("[:].rotate(1)", 4, "one of permute"),
    ("x.chunk(2).T", 2, "the index of a chunk"),
    ("torch.rand(1if 2 else 3)", 11, "as Python writes it"),
    ("rearrange(x, 'b (c x) -> b c x', x=4)", 13, "a tensor whose sizes"),
    ("rearrange(torch.zeros(2, 8), 'b (c x) -> b c x', x=3)", 29, "c x whose product is 8"),
    ("rearrange(torch.zeros(2, 8), 'b c d -> d c b')", 29, "2 dimensions"),
    ("rearrange(x, 'b c -> b d')", 13, "each name once"),
    ("rearrange(x, 'b ? -> b')", 16, "names, 1"),
    ("rearrange(x, 'b c')", 13, "one ->"),
    ("rearrange(x, p)", 0, "one pattern"),
]


test_what_is_more_than_is_read_is_refused = refuses(REFUSED)


VIEWS: list[tuple[str, list[dict[str, Any]]]] = [
    ("[:, ::2]", [{"op": "index", "index": ":, ::2"}]),
    ("flatten", [{"op": "flatten"}]),
    ("x.unfold(dimension=1, size=3, step=2)",
        [{"op": "unfold", "dim": 1, "step": 2, "size": 3}]),
    ("x.view(2, -1).flip(0, 1)", [
        {"op": "reshape", "shape": [2, -1]}, {"op": "flip", "dim": 0}, {"op": "flip", "dim": 1},
    ]),
    ("chunk(3,1)[2].T", [{"op": "chunk", "chunks": 3, "dim": 1, "index": 2}, {"op": "T"}]),
    ("x.chunk(2)[-1]", [{"op": "chunk", "dim": 0, "chunks": 2, "index": -1}]),
    ("einops.rearrange(x, 'b c h w -> b h w c')", [{"op": "permute", "dims": [0, 2, 3, 1]}]),
    ("rearrange(x.T, 'a b -> b a')[0]", [
        {"op": "T"}, {"op": "permute", "dims": [1, 0]}, {"op": "index", "index": "0"},
    ]),
    ("submemory((0,1),(2,3))", [{"op": "submemory", "offsets": [0, 1], "sizes": [2, 3]}]),
    ("np.transpose(x, axes=(2, 0, 1))", [{"op": "permute", "dims": [2, 0, 1]}]),
    ("np.transpose(x)", [{"op": "T"}]),
    ("tf.transpose(x, perm=[2, 0, 1])", [{"op": "permute", "dims": [2, 0, 1]}]),
    # PyTorch's transpose takes two dimensions: all of them are NumPy's.
    ("x.transpose(2, 0, 1)", [{"op": "permute", "dims": [2, 0, 1]}]),
    ("x.transpose((1, 0))", [{"op": "permute", "dims": [1, 0]}]),
    ("x.transpose(1, 0)", [{"op": "transpose", "dim0": 1, "dim1": 0}]),
    ("torch.transpose(torch.flatten(x.T, 1), 0, 1)[0]", [
        {"op": "T"}, {"op": "flatten", "start_dim": 1}, {"op": "transpose", "dim0": 0, "dim1": 1},
        {"op": "index", "index": "0"},
    ]),
]  # fmt: skip  # a text, then its steps


@pytest.mark.parametrize(("text", "steps"), VIEWS, ids=[row[0] for row in VIEWS])
def test_views_without_a_tensor_are_steps(text: str, steps: list[dict[str, Any]]) -> None:
    assert list(read_text(text).steps) == steps


@pytest.mark.parametrize("text", ["torch.zeros(2)", ".as_strided((2,), (1,))", ") -> (", "x"])
def test_what_takes_no_view_has_no_steps(text: str) -> None:
    assert read_views(text) == ()


A60 = "np.arange(60).reshape(3, 4, 5)"
# A call of NumPy and its steps from the tensor before; none where nothing but sizes changes.
BASED = [
    (f"{A60}.transpose(2, 0, 1)", "permute"),
    (f"{A60}.transpose((2, 0, 1))[::2]", "permute index"),
    (f"{A60}.transpose(2, 0, 1).T", "permute T"),
    (f"{A60}.transpose()", "T"),
    (f"{A60}.T[1:, ::-1]", "T index"),
    (f"{A60}.T[4]", "T index"),
    (f"{A60}.swapaxes(0, 2)", "transpose"),
    (f"{A60}[1]", "index"),
    (f"{A60}[..., ::-2]", "index"),
    (f"{A60}[:, 1:3].T", "index T"),
    (f"{A60}[:, None].swapaxes(0, 3)", "transpose"),
    (f"{A60}.reshape(12, 5).T", "T"),
    (f"{A60}.reshape(12, -1).T.reshape(5, 3, 4)", "T reshape"),
    (f"{A60}[:, :, 1:].transpose(1, 0, 2).reshape(4, 3, 2, 2)", "index permute reshape"),
    (f"{A60}.T.astype(np.float32)", "T"),
    (f"{A60}.transpose(2, 0, 1).copy(order='K')[0]", "permute index"),
    (f"np.transpose({A60}, (1, 2, 0))", "permute"),
    (f"np.flip({A60}, 1)[0]", "flip index"),
    (f"np.broadcast_to({A60}[1], (2, 4, 5))", "index broadcast"),
    (f"np.swapaxes({A60}, 0, 1)[2:]", "transpose index"),
    ("np.arange(12)[::2]", "index"),
    ("np.arange(12).reshape(3, 4).T[1:3, 0]", "T index"),
    ("np.arange(12).reshape(3, 1, 4).squeeze().T", "T"),
    (A60, ""),
    (f"{A60}.reshape(4, 15).ravel()", ""),
    (f"{A60}.transpose(2, 0, 1).transpose(1, 2, 0)", ""),
    (f"{A60}[:, None].squeeze(1)", ""),
]


@pytest.mark.parametrize(("text", "ops"), BASED, ids=[row[0] for row in BASED])
def test_the_numbers_of_a_view_are_those_that_numpy_prints(text: str, ops: str) -> None:
    found = only(text)
    steps = found.base.steps if found.base else ()
    assert " ".join(step["op"] for step in steps) == ops
    layout = layout_of(found)
    elements = np.arange(layout.elements).reshape(layout.shape)
    assert (offset_map(layout) == elements).all()
    for step in steps:
        viewed = OPS[step["op"]](layout, **{name: step[name] for name in step if name != "op"})
        assert isinstance(viewed, Layout)
        layout = viewed
    printed = eval(text, {"np": np})  # noqa: S307  # the table's own calls
    assert layout.shape == found.shape == printed.shape
    assert (offset_map(layout) == printed).all()


def layout_of(found: FoundTensor) -> Layout:
    said = found.base or found
    assert said.shape is not None
    assert said.layout is not None
    return parse_layout(said.layout, said.shape)


def test_a_copy_is_a_tensor_of_its_own() -> None:
    copy = only(f"{A60}.transpose(2, 0, 1).reshape(15, 4)")
    assert (copy.base, copy.layout) == (None, "(4, 1)")
    assert "cannot join" in (copy.copied or "")
    part = only(f"{A60}[:2].astype(np.float32)[::2]").base
    assert part is not None
    assert part.shape == (2, 4, 5)
    assert only("torch.arange(60).as_strided((2, 3), (1, 4))").base is None


def test_a_view_of_a_named_tensor_leads_from_the_first() -> None:
    text = f"x = {A60}\ny = x.transpose(2, 0, 1)\nz = y[::2]"
    x, y, z = read_text(text).tensors
    assert (x.base, y.shape, y.layout) == (None, (5, 3, 4), "(1, 20, 5)")
    assert z.base is not None
    assert z.base.shape == (3, 4, 5)
    assert [step["op"] for step in z.base.steps] == ["permute", "index"]
    longer = "\n".join([text, *["y = y.T"] * 64])
    assert read_text(longer).tensors[-2].base is not None
    assert read_text(longer).tensors[-1].base is None, "/view takes 64 steps"


def test_a_copy_says_why_it_is_one() -> None:
    assert only("torch.rand(4, 6).flatten()").copied is None
    assert "stride" in (only("torch.rand(4, 6).t().flatten()").copied or "")
    assert "flip" in (only("torch.rand(4, 6).flip(0)").copied or "")


def test_graphs_without_strides_say_no_layout() -> None:
    tensor = only('x_1: "f32[2, 8, 4, 5]"')
    assert (tensor.role, tensor.shape, tensor.layout) == ("x_1", SHAPE, None)
    assert only("f32[2, 8, 4, 5]cpu").layout is None
    assert read_text("f32[2, 8, 4, 5]").system == "xla"


def test_a_graph_names_its_tensors_and_what_is_not_read() -> None:
    graph = """def forward(self, x_1: "f32[2, 3][3, 1]cpu", s: "Sym(s0)"):
    add: "i64[s0, 3][3, 1]cpu" = torch.ops.aten.add.Tensor(x_1, x_1)"""
    read = read_text(graph)
    assert [(t.role, t.line, t.layout, t.system) for t in read.tensors] == [
        ("x_1", 1, "(3, 1)", "pytorch"),
        ("add", 2, None, "pytorch"),
    ]
    assert "run time" in (read.tensors[1].problem or "")
    assert read.unread[:2] == ("def forward(self", 's: "Sym(s0)")')


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("torch.Size([2, 3]) (3, 1) and more", ("and more",)),
        ("In [3]: x.size()\nOut[3]: torch.Size([2, 3])", ()),
        ("Odd y[2];\nfloat x[2][3] = f(y);", ("Odd y[2]", "f(y)")),
        # A question is explained by its answer.
        (">>> print(x.shape, x.dtype, x.strides)\n(2, 3) float32 (12, 4)\nb", ("b",)),
    ],
)
def test_what_no_tensor_explains_is_listed(text: str, unread: tuple[str, ...]) -> None:
    assert read_text(text).unread == unread
