"""OpenVINO's selection of layouts; conformance/openvino_suite.py compares it live."""

from itertools import pairwise

import pytest

from app.engine import parse_layout
from app.engine.network import Graph, NodeSource, Propagation, propagate
from tests.engine.network.graphs import chain, copied, tensor

SHAPE = (1, 12, 8, 8)
ONE = (1, 1, 8, 8)  # one channel


def carried(*nodes: NodeSource, shape: tuple[int, ...] = SHAPE, isa: str = "avx512") -> Propagation:
    constants = {f"w{out}": tensor((out, shape[1], 1, 1)) for out in (1, 3, 12, 16)}
    constants |= {"w3x3": tensor((12, shape[1], 3, 3)), "n": tensor((shape[1],))}
    graph = Graph.of(inputs={"x": tensor(shape)}, constants=constants, nodes=nodes)
    return propagate(graph, "openvino-cpu", {"isa": isa})


def lies(found: Propagation, name: str) -> str:
    """The first of OpenVINO's names that is the tensor's memory."""
    layout = found.tensors[name].layout
    assert layout is not None
    for text in ("abcd", "acdb", "aBcd8b", "aBcd16b"):
        if parse_layout(f"onednn:{text}", layout.shape).normal_form == layout.normal_form:
            return text
    raise AssertionError(str(layout))


_POOL = "MaxPool(x) a kernel_shape=[1,1]"
_TURNED = "Transpose(a) b perm=[0,2,3,1]"
_MIXED = "Conv(x w12) a; Concat(x a) b axis=1"
_CONCAT = "Conv(x w12) a; Concat(x x x) b axis=1"


@pytest.mark.parametrize(
    ("shape", "isa", "nodes", "layout", "lost"),
    [  # of the last result
        # A transposition of sizes of 1 is a Reshape, which is planar.
        (SHAPE, "avx512", f"Conv(x w16) a; {_TURNED}", "acdb", None),
        (SHAPE, "avx512", f"Conv(x w1) a; {_TURNED}", "abcd", "acdb"),
        # It is removed where no size changes.
        (
            (1, 12, 1, 1),
            "avx512",
            "Conv(x w16) a; Transpose(a) b perm=[0,1,3,2]; DepthToSpace(b) c blocksize=2",
            "acdb",
            None,
        ),
        # Softmax keeps blocks without padding, and is planar otherwise, as mathematics are.
        ((1, 32, 8, 1), "avx512", f"{_POOL}; Softmax(a) b axis=1", "aBcd16b", None),
        ((1, 12, 8, 1), "avx512", f"{_POOL}; Softmax(a) b axis=1", "abcd", "aBcd16b"),
        (SHAPE, "avx512", "Conv(x w16) a; Softmax(a) b", "abcd", "acdb"),
        (SHAPE, "avx512", "Conv(x w16) a; HardSigmoid(a) b", "abcd", "acdb"),
        # Pooling is planar only where there is a kernel.
        (SHAPE, "avx512", _POOL, "abcd", None),
        (SHAPE, "avx2", _POOL, "aBcd8b", None),
        ((1, 3, 8, 8), "avx512", _POOL, "aBcd16b", None),
        ((1, 12, 8, 1), "avx512", _POOL, "aBcd16b", None),
        (ONE, "avx2", _POOL, "abcd", None),
        # A concat of one tensor of one channel is a Broadcast, to which such a pool is channels
        # last too. It is not merged; the only kernel that reads it may compute it.
        (ONE, "avx512", f"{_POOL}; Concat(a a) b axis=1", "acdb", None),
        (ONE, "avx512", f"{_POOL}; Concat(a a) b axis=1; Tanh(b) c", "abcd", None),
        (ONE, "avx512", "Conv(x w1) a; Concat(a a) b axis=1; Tanh(b) c", "acdb", None),
        (ONE, "avx512", f"{_POOL}; Conv(x w3) c; Concat(a c a) b axis=1", "abcd", "acdb"),
        (ONE, "avx512", "Conv(x w3) a; Concat(x x) b axis=1; Concat(a b) c axis=1", "acdb", None),
        (ONE, "avx512", "Softmax(x) a axis=1; Concat(a a) b axis=1", "acdb", None),
        # A concat takes the layout of most operands, of merged ones too: here 3 planar of 5.
        (SHAPE, "avx512", "Conv(x w12) a; Concat(x a x) b axis=1", "abcd", "acdb"),
        (SHAPE, "avx512", "Conv(x w12) a; Concat(x a) b axis=1", "acdb", None),
        (SHAPE, "avx512", f"{_CONCAT}; Concat(b a a) c axis=1", "abcd", "acdb"),
        # Another node reads b, so that it counts once.
        (SHAPE, "avx512", f"{_CONCAT}; Relu(b) d; Concat(b a a) c axis=1", "acdb", None),
        # One that is read twice is not merged: it is channels last, and so two operands of three.
        (SHAPE, "avx512", f"{_MIXED}; Concat(x b b) c axis=1", "acdb", None),
        (SHAPE, "avx512", f"{_MIXED}; Concat(x x b) c axis=1", "abcd", "acdb"),
    ],
)
def test_the_layout_that_is_selected(
    shape: tuple[int, ...], isa: str, nodes: str, layout: str, lost: str | None
) -> None:
    found = carried(*chain(nodes), shape=shape, isa=isa)
    last = found.nodes[-1]
    assert (lies(found, last.name), last.lost) == (layout, lost)


_TAKES = "Conv({}) {} strides=[{s},{s}]"


@pytest.mark.parametrize(
    ("channels", "nodes", "layout", "moved"),
    [  # of the result a
        (3, f"Relu(x) a; {_TAKES.format('a w12', 'b', s=2)}", "aBcd16b", "x>aBcd16b a>acdb b>abcd"),
        (4, f"Relu(x) a; {_TAKES.format('a w12', 'b', s=2)}", "abcd", "a>acdb b>abcd"),
        (3, f"Relu(x) a; {_TAKES.format('a w12', 'b', s=1)}", "abcd", "a>acdb b>abcd"),
        # A normalisation over the batch is a product and a sum.
        (
            3,
            f"BatchNormalization(x n n n n) a; {_TAKES.format('a w12', 'b', s=2)}",
            "aBcd16b",
            "x>aBcd16b a>acdb b>abcd",
        ),
        # A first convolution of three channels reorders the image too.
        (3, "Conv(x w12) a", "acdb", "x>acdb a>abcd"),
        # Through another convolution of one pixel, and from one with a larger kernel not at all.
        (
            3,
            f"Mul(x x) a; Conv(a w3) b; {_TAKES.format('b w12', 'c', s=3)}",
            "aBcd16b",
            "x>aBcd16b a>acdb c>abcd",
        ),
        (3, f"Relu(x) a; {_TAKES.format('a w3x3', 'b', s=2)}", "abcd", "a>acdb b>abcd"),
        # Another reader needs all pixels.
        (3, f"Relu(x) a; {_TAKES.format('a w12', 'b', s=2)}; Tanh(a) c", "abcd", "a>acdb b>abcd"),
        # The convolution before it skips them itself.
        (
            3,
            f"Conv(x w3) d; Relu(d) a; {_TAKES.format('a w12', 'b', s=2)}",
            "acdb",
            "x>acdb b>abcd",
        ),
    ],
)
def test_strides_of_a_convolution_move_up_through_arithmetic(
    channels: int, nodes: str, layout: str, moved: str
) -> None:
    found = carried(*chain(nodes), shape=(1, channels, 8, 8))
    assert (lies(found, "a"), copied(found)) == (layout, moved)


def test_many_paths_of_strides_are_followed_once_each() -> None:
    names = ["x", *(f"t{i}" for i in range(400))]
    halves = "; ".join(
        f"Relu({a}) p{a}; Tanh({a}) q{a}; Add(p{a} q{a}) {b}" for a, b in pairwise(names)
    )
    found = carried(*chain(f"{halves}; Conv({names[-1]} w12) y strides=[2,2]"), shape=(1, 3, 8, 8))
    assert lies(found, names[-1]) == "aBcd16b"
