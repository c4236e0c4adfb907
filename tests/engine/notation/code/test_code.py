"""The runnable code: NumPy's is run, the others' numbers are read back."""

import ast
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import offset_map, parse_dtype, parse_layout
from app.engine.description.tensor import parse_tensor
from app.engine.inverse.overlap import shares_addresses
from app.engine.model.layout import Digit, Layout, Swizzle
from app.engine.model.views import NeedsCopy
from app.engine.notation import view_steps
from app.engine.notation.code.arrays import numpy_code, pytorch_code
from app.engine.notation.code.onednn import onednn_code, onednn_descriptor
from app.engine.notation.dialect import CannotSayError
from app.engine.notation.orders import blocking
from tests.engine.strategies import small_layouts
from tests.examples import examples

FLOAT32, INT32 = parse_dtype("float32"), parse_dtype("int32")
LAYOUTS = small_layouts()
TWO_APART = Layout((2, 8), "HW", ((Digit(2, 8),), (Digit(2, 16), Digit(4, 2))))
GAPPED = Layout((8, 3), "HW", ((Digit(2, 24), Digit(4, 1)), (Digit(3, 4),)))


def run(code: str) -> dict[str, Any]:
    """The names that the code defines."""
    names: dict[str, Any] = {}
    exec(compile(code, "generated", "exec"), names)  # noqa: S102  # the code under test
    return names


def check_numpy(layout: Layout) -> None:
    """x is found at the layout's addresses, and y shows the address of each element."""
    code = numpy_code(layout, INT32)
    names = run(code)
    addresses = offset_map(layout)
    assert names["x"].shape == names["y"].shape == layout.shape
    assert names["buffer"].shape == (layout.buffer_elements,)
    stored = "x is not stored" not in code
    if stored:
        assert np.array_equal(names["buffer"][addresses], names["x"])
        assert np.array_equal(names["y"], names["x"])
    elif layout.shape == layout.padded_shape:
        assert shares_addresses(layout) is not False
    names["buffer"][...] = np.arange(layout.buffer_elements)
    views = [
        line
        for line in code.splitlines()
        if line.startswith(("y = ", "blocks = ")) and "..." not in line
    ]
    exec("\n".join(views), names)  # noqa: S102  # the code under test
    assert np.array_equal(names["y"], addresses)


@examples(600)
@given(LAYOUTS)
def test_numpy_code_puts_every_element_where_the_layout_does(layout: Layout) -> None:
    check_numpy(layout)


@st.composite
def views(draw: st.DrawFn) -> tuple[Layout, Layout]:
    """A layout and a view of it, after one to three steps."""
    whole = draw(LAYOUTS)
    view = whole
    ops = st.sampled_from(["permute", "flip", "narrow", "select", "add"])
    for op in draw(st.lists(ops, min_size=1, max_size=3)):
        d = draw(st.integers(0, max(0, view.rank - 1)))
        size = view.shape[d] if view.rank else 0
        if op == "permute":
            found: Layout | NeedsCopy = view_steps.permute(
                view, draw(st.permutations(range(view.rank)))
            )
        elif op == "add":
            found = view_steps.broadcast(view, (2, *view.shape))
        elif not size:
            continue
        elif op == "flip":
            found = view_steps.flip(view, d)
        elif op == "select":
            found = view_steps.select(view, d, draw(st.integers(0, size - 1)))
        else:
            start = draw(st.integers(0, size - 1))
            found = view_steps.narrow(view, d, start, draw(st.integers(1, size - start)))
        view = view if isinstance(found, NeedsCopy) else found
    return whole, view


@examples(400)
@given(views())
def test_code_of_a_view_numbers_the_elements_of_the_whole_tensor(
    both: tuple[Layout, Layout],
) -> None:
    whole, view = both
    code = numpy_code(view, INT32, whole)
    stored, tail = code.split("\n# the view, ")
    assert stored == numpy_code(whole, INT32)
    names = run(code)
    assert np.array_equal(names["y"], names["buffer"][offset_map(view)])
    read = np.lib.array_utils.byte_bounds(names["blocks" if "blocks = " in tail else "y"])
    bounds = np.lib.array_utils.byte_bounds(names["buffer"])
    if "copy: strides" not in tail and view.elements:
        assert bounds[0] <= read[0] <= read[1] <= bounds[1]
    try:
        torch = pytorch_code(view, INT32, whole).split("\n# the view, ")
    except CannotSayError:
        return
    assert torch[0] == pytorch_code(whole, INT32)
    geometry = re.findall(r"as_strided\((\w+), (.*)\)", torch[1])
    own = re.findall(r"as_strided\((\w+), (.*)\)", pytorch_code(view, INT32))
    assert [each for _, each in geometry] == [each for _, each in own] or not own


def test_code_of_a_view_shows_what_the_steps_show() -> None:
    whole = parse_layout("CHW", (3, 4, 5))
    view = view_steps.permute(whole, (2, 0, 1))
    twin = np.arange(60).reshape(3, 4, 5).transpose(2, 0, 1)
    code = parse_tensor((3, 4, 5), "CHW").describe_view(view).code
    assert np.array_equal(run(code["numpy"]["text"])["y"], twin)
    assert code["pytorch"]["text"].endswith("y = torch.as_strided(y, (5, 3, 4), (1, 20, 5), 0)\n")
    last = parse_layout("NHWC", (1, 3, 4, 5))
    kept = view_steps.select(last, 1, 2)
    twin = np.arange(60).reshape(1, 3, 4, 5)[:, 2]
    assert np.array_equal(run(numpy_code(kept, FLOAT32, last))["y"], twin)


def test_numpy_code_says_when_it_is_a_view() -> None:
    plain = numpy_code(parse_layout("NHWC", (2, 64, 3, 3)), FLOAT32)
    assert "y = buffer.reshape((2, 3, 3, 64)).transpose((0, 3, 1, 2))  # a view" in plain
    names = run(plain)
    assert np.shares_memory(names["y"], names["buffer"])
    padded = numpy_code(parse_layout("NCHW4", (2, 3, 3, 3)), FLOAT32)
    assert "[:, :3]  # a view" in padded
    blocked = numpy_code(parse_layout("NCHW4", (2, 6, 3, 3)), FLOAT32)
    assert "# N, C/4, C%4, H, W" in blocked
    assert "np.pad(x, ((0, 0), (0, 2), (0, 0), (0, 0)))" in blocked
    assert "# a copy: C is split" in blocked
    names = run(blocked)
    assert np.shares_memory(names["blocks"], names["buffer"])
    assert not np.shares_memory(names["y"], names["buffer"])


@pytest.mark.parametrize("name", ["bfloat16", "float16", "float8_e5m2", "int8", "uint8", "bool"])
def test_code_says_where_the_type_does_not_hold_the_numbers_of_all_elements(name: str) -> None:
    dtype = parse_dtype(name)
    most = dtype.exact_up_to
    said = f"# logical: W; {name} is exact up to {most}\n"
    for elements in (most + 1, most + 2):
        layout = parse_layout("W", (elements,))
        code = numpy_code(layout, dtype)
        held = np.array_equal(run(code)["x"].astype(float), np.arange(elements))
        for text in (code, pytorch_code(layout, dtype)):
            assert (said not in text) == held == (elements == most + 1)


@pytest.mark.parametrize("text", ["(5, 1)+1", "WH"])
def test_numpy_code_takes_any_type_of_whole_bytes(text: str) -> None:
    layout = parse_layout(text, (2, 3))
    with pytest.raises(CannotSayError, match="half a byte"):
        numpy_code(layout, parse_dtype("int4"))
    for name in ("float8_e5m2", "bfloat16", "bool"):
        names = run(numpy_code(layout, parse_dtype(name)))
        assert names["y"].dtype.name == name
        assert names["buffer"].dtype.name == name
        assert np.array_equal(names["y"].astype(float), names["x"].astype(float))
        assert np.shares_memory(names["y"], names["buffer"])


def test_code_says_whether_elements_or_only_padding_share_an_address() -> None:
    padding = Layout((3,), "W", ((Digit(2, 0), Digit(3, 1)),), 1)
    elements = Layout((3,), "W", ((Digit(2, 0), Digit(2, 1)),))
    for write in (numpy_code, pytorch_code):
        assert "# x is not stored: elements of the padding share" in write(padding, FLOAT32)
        assert "# x is not stored: several elements share" in write(elements, FLOAT32)


@examples(300)
@given(LAYOUTS)
def test_pytorch_code_says_the_same_geometry_as_numpy_code(layout: Layout) -> None:
    try:
        code = pytorch_code(layout, FLOAT32)
    except CannotSayError:
        assert any(g.stride < 0 for digits in layout.digits for g in digits)
        return
    compile(code, "generated", "exec")
    found = re.search(r"torch\.as_strided\((?:plain|storage), (.*)\)(?:\.reshape|\[|  #|\n)", code)
    if found is None:
        named = re.search(r"memory_format=torch\.(\w+)\)", code)
        assert named
        twin = parse_layout(named[1], layout.shape)
        assert np.array_equal(offset_map(twin), offset_map(layout))
        return
    geometry = ast.literal_eval(f"({re.split(r'[)]{1}[.]reshape', found[1])[0]})")
    shape, strides, offset = geometry
    plain = replace(layout, swizzle=None)
    size = plain.buffer_elements
    view = np.lib.stride_tricks.as_strided(
        np.arange(offset, size) if offset else np.arange(size), shape, [8 * s for s in strides]
    )
    joined = re.search(r"\.reshape\((\([^)]*\))\)(\[[^\]]*\])?(?:  # a copy|\n)", code)
    if len(shape) > layout.rank:
        assert joined
        view = view.reshape(ast.literal_eval(joined[1]))
        view = view[tuple(slice(0, n) for n in layout.shape)]
    assert np.array_equal(view, offset_map(plain))


def test_pytorch_code_of_well_known_formats() -> None:
    last = pytorch_code(parse_layout("NHWC", (10, 3, 32, 32)), FLOAT32)
    assert "y = x.contiguous(memory_format=torch.channels_last)" in last
    volume = pytorch_code(parse_layout("NDHWC", (1, 3, 4, 5, 6)), FLOAT32)
    assert "torch.channels_last_3d" in volume
    assert "contiguous_format" in pytorch_code(parse_layout("NCHW", (1, 3, 4, 5)), FLOAT32)
    blocked = pytorch_code(parse_layout("NCHW4", (2, 6, 3, 3)), FLOAT32)
    assert "torch.nn.functional.pad(x, (0, 0, 0, 0, 0, 2, 0, 0))" in blocked
    assert "y = blocks.reshape((2, 8, 3, 3))[:, :6]  # a copy: C is split" in blocked
    swizzled = replace(parse_layout("(8, 1)", (8, 8)), swizzle=Swizzle(3, 0, 3))
    assert "address ^ ((address & 56) >> 3)" in pytorch_code(swizzled, FLOAT32)
    with pytest.raises(CannotSayError, match="half a byte"):
        pytorch_code(parse_layout("NCHW", (1, 3, 4, 5)), parse_dtype("uint4"))


@examples(400)
@given(LAYOUTS)
def test_the_descriptor_s_numbers_are_the_layout(layout: Layout) -> None:
    try:
        code = onednn_descriptor(layout, FLOAT32)
    except CannotSayError as error:
        reason = str(error)
        code = ""
    else:
        reason = ""
    if not code:
        assert reason.endswith(".")
        return
    read = dict(re.findall(r"\.([a-z_0-9]+) = \{?([-0-9, ]+)\}?,", code))
    numbers = {name: [int(n) for n in text.split(",")] for name, text in read.items()}
    view = blocking(layout)
    assert view
    assert numbers["ndims"] == [layout.rank]
    assert tuple(numbers["dims"]) == layout.shape
    assert tuple(numbers["padded_dims"]) == layout.padded_shape
    # The rule of memory_desc_wrapper::off_v, by hand, on every coordinate.
    count = numbers["inner_nblks"][0]
    position = [np.asarray(i) for i in np.indices(layout.shape)]
    offsets = np.full(layout.shape, numbers["offset0"][0])
    stride = 1
    for size, d in reversed(
        list(zip(numbers["inner_blks"], numbers["inner_idxs"], strict=True))[:count]
    ):
        offsets += position[d] % size * stride
        position[d] = position[d] // size
        stride *= size
    for where, step in zip(position, numbers["strides"], strict=True):
        offsets += where * step
    assert np.array_equal(offsets, offset_map(layout))


@pytest.mark.parametrize(
    ("layout", "dtype", "reason"),
    [
        (parse_layout("(-5, 1)+5", (2, 3)), "float32", "no negative strides"),
        (parse_layout("()", ()), "float32", "1 to 12 dimensions"),
        (parse_layout("(1, 1)", (2, 3)), "float32", "rejects the stride of W"),
        (parse_layout("NCHW", (1, 2, 3, 4)), "uint32", "no data type for uint32"),
        (parse_layout("(5, 1)+1", (2, 3)), "int4", "inside a byte"),
        (TWO_APART, "float32", "packed at the innermost end"),
        (GAPPED, "float32", "only tags of dense memory"),
    ],
)
def test_what_onednn_code_cannot_say(layout: Layout, dtype: str, reason: str) -> None:
    with pytest.raises(CannotSayError, match=reason):
        onednn_code(layout, parse_dtype(dtype))
