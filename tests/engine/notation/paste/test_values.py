"""The values of a tensor say its sizes and its type, but no layout."""

import pytest

from app.engine import LayoutError
from app.engine.notation.paste.reading import read_text
from tests.engine.notation.paste.checks import Said, says

VALUES: list[Said] = [
    ("tensor([[1.,2.],[3.,4.]], device='cuda:0', dtype=torch.float16)", (2, 2), "float16",
        None, ()),
    ("tensor([1., nan, -inf, 1e-05],\n       device='cuda:0', dtype=torch.bfloat16)", (4,),
        "bfloat16", None, ()),
    ("tensor([[0.1+0.j, 1.-2.j]], dtype=torch.complex64)", (1, 2), "complex64", None, ()),
    ("tensor([[[True], [False]]])", (1, 2, 1), None, None, ()),
    ("tensor([2.5], grad_fn=<AddBackward0>)", (1,), None, None, ()),
    ("np.array([[1, 2], [3, 4], [5, 6]], dtype=np.int8)", (3, 2), "int8", None, ()),
    ("tensor([])", (0,), None, None, ()),
    ("tensor([[], []])", (2, 0), None, None, ()),
]  # fmt: skip  # a row on two lines where it is long
test_sizes_follow_from_the_nesting = says(VALUES)


@pytest.mark.parametrize(
    "values",
    [
        *("[[1, 2], [3]]", "[1, [2]]", "[[1], 2]", "[[1], [[2]]]", "[[[2]], [1]]", "[[], [1]]"),
        *("[1, ..., 9]", "[x for x in y]", "[1, 2", "[1, 'a b']", "[f(1, 2)]", "[1 - 2]"),
    ],
)
def test_other_values_say_the_type_alone(values: str) -> None:
    read = read_text(f"tensor({values}, dtype=torch.float16)")
    assert (read.shape, read.dtype) == (None, "float16")
    with pytest.raises(LayoutError, match="no sizes"):
        read_text(f"tensor({values})")


@pytest.mark.parametrize(
    "text", ["tensor([[1, 2]]).T", "tensor([[1]])[0]", "np.array([1, 2], dtype=np.int8, ndmin=3)"]
)
def test_a_view_of_the_values_and_an_array_of_more_dimensions_have_other_sizes(text: str) -> None:
    assert read_text(f"{text} torch.float16").shape is None


def test_several_values_are_several_tensors_and_a_session_comes_first() -> None:
    read = read_text("x = torch.tensor([1, 2])\ny = torch.tensor([[1, 2, 3]])")
    assert [(one.role, one.shape) for one in read.tensors] == [("x", (2,)), ("y", (1, 3))]
    said = read_text("tensor([[1, 2, 3]])\nx.shape torch.Size([3, 1])")
    assert said.shape == (3, 1)
    with pytest.raises(LayoutError, match="no sizes"):
        read_text("tensor([1, 2")
