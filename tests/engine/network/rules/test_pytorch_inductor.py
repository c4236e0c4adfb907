"""The rules of inductor: whether layouts are optimised, what is then channels_last, the copies."""

from collections.abc import Mapping
from typing import Any

import pytest

from app.engine import Layout
from app.engine.network import Graph, GraphTensor, NodeSource, Propagation, propagate
from app.engine.network.rules.pytorch_inductor import decide, preferring
from tests.engine.network.graphs import chain, copied, node, tensor


def _graph(tensors: Mapping[str, GraphTensor], *nodes: NodeSource) -> Graph:
    return Graph.of(inputs=tensors, nodes=nodes)


def _carried(graph: Graph, **options: Any) -> Propagation:
    return propagate(graph, "pytorch-inductor", options)


def _one(out: int, into: int, *, groups: int = 1, kernel: int = 3) -> Graph:
    tensors = {"x": tensor((1, into * groups, 16, 16)), "w": tensor((out, into, kernel, kernel))}
    return _graph(tensors, node("conv2d", "x w", padding=1, groups=groups))


_X, _W = tensor((2, 8, 6, 6)), tensor((8, 8, 3, 3))
_LAST = (288, 1, 48, 8)


@pytest.mark.parametrize(
    ("graph", "yes", "why"),
    [
        (_one(128, 128), {"inference", "training"}, "large"),
        (_one(64, 64), {"inference"}, "64 channels"),
        (_one(65, 64), {"inference", "training"}, "large"),
        (_one(64, 128), {"inference"}, "half"),
        (_one(64, 128, kernel=1), {"inference", "training"}, "large"),
        (_one(65, 128), {"inference", "training"}, "large"),
        (_one(128, 64, groups=2), set(), "groups"),
        (_one(128, 1, groups=128), {"inference", "training"}, "large"),
    ],
)
def test_the_decision_on_a_gpu(graph: Graph, yes: set[str], why: str) -> None:
    assert decide(graph, device="cuda", inference=True).on is ("inference" in yes)
    found = decide(graph, device="cuda", inference=False)
    assert found.on is ("training" in yes)
    assert why in found.reason
    assert decide(graph, device="cpu").on


def test_views_of_results_and_convolutions_without_a_batch() -> None:
    x = {"x": tensor((2, 8, 6, 6), _LAST)}
    copied_view = _carried(_graph(x, *chain("view(x) y shape=[2,288]"))).tensors["y"]
    assert (copied_view.view, copied_view.layout) == (False, Layout.strided((2, 288), (288, 1)))
    one = {"x": tensor((1, 8, 6, 6)), "w": _W}
    graph = _graph(one, *chain("conv2d(x w) a padding=1; select(a) b dim=1 index=0"))
    kept = _carried(graph).tensors["b"]
    # Compiled by PyTorch 2.13; eager's strides are (288, 6, 1).
    assert (kept.view, kept.layout) == (True, Layout.strided((1, 6, 6), (288, 48, 8)))
    without = {"x": tensor((8, 6, 6)), "w": _W}
    found = _carried(_graph(without, *chain("conv2d(x w) y padding=1")))
    assert copied(found) == "w>channels_last y>contiguous"  # as PyTorch 2.13 returns it


def test_grouped_convolutions_are_weighed_by_their_operations() -> None:
    def mixed(size: int) -> Graph:
        tensors = {
            "x": tensor((1, 128, size, size)),
            "w": tensor((128, 128, 3, 3)),
            "z": tensor((1, 128, 64, 64)),
            "g": tensor((128, 32, 3, 3)),
        }
        return _graph(tensors, *chain("conv2d(x w) a padding=1; conv2d(z g) b padding=1 groups=4"))

    # 0.177 of the plain one's operations against 0.358 of the grouped one's, a fourth of it each.
    assert decide(mixed(64), device="cuda").on
    assert not decide(mixed(32), device="cuda").on


def test_a_network_without_known_convolutions_or_with_few_is_left_alone() -> None:
    plain = _graph({"x": _X}, node("relu", "x"))
    assert not decide(plain).on
    unknown = [node("mystery", "x", "u"), node("conv2d", "u w", padding=1)]
    found = decide(_graph({"x": _X, "w": _W}, *unknown), device="cuda")
    assert (found.on, found.reason) == (False, "Shapes of convolutions are not known")
    chain = [node("conv2d", "x w", "t0", padding=1)]
    chain += [node("relu", f"t{i}", f"t{i + 1}") for i in range(300)]
    assert not decide(_graph({"x": _X, "w": _W}, *chain), device="cuda").on
    assert decide(_graph({"x": _X, "w": _W}, *chain[:100]), device="cuda").on


@pytest.mark.parametrize(
    ("nodes", "names"),
    [
        # Einsum and batched products stop the preference.
        ("relu(x) a; einsum(a) b equation=nchw->nchw; conv2d(b w) c padding=1", "c"),
        ("relu(x) a; matmul(a a) b; conv2d(b w) c padding=1", "c"),
        # It goes back from convolutions, and on to the last.
        (
            "relu(x) a; conv2d(a w) b padding=1; relu(b) c; neg(a) d; matmul(a a) m; add(m b) n; "
            "conv2d(n w) e padding=1; relu(e) f",
            "a b c d e n",
        ),
        # What reads the input of a convolution prefers it too.
        ("conv2d(x w) a; relu(x) b; relu(z) c", "a b"),
    ],
)
def test_which_nodes_prefer_channels_last(nodes: str, names: str) -> None:
    graph = _graph({"x": _X, "z": _X, "w": _W}, *chain(nodes))
    assert sorted(graph.nodes[index].name for index in preferring(graph)) == names.split()


_CHAIN = "relu(x) a; conv2d(a w) b padding=1; relu(b) c; conv2d(c w) y padding=1"
_VIEW = "neg(t) n; transpose(n) a dim0=1 dim1=2; permute(a) b dims=[0,3,1,2]"
_ALONE = "conv2d(x w) a padding=1; relu(a) y"


@pytest.mark.parametrize(
    ("nodes", "options", "said", "strides"),
    [
        # relu writes channels_last from contiguous memory; weights and the result are copied.
        (_CHAIN, {}, "w>channels_last w>channels_last y>contiguous", dict.fromkeys("abcy", _LAST)),
        (_CHAIN, {"freezing": True}, "y>contiguous", {}),
        # A result of a loop is written as eager writes it.
        (_ALONE, {"freezing": True}, "x>channels_last", {"y": (288, 36, 6, 1)}),
        # A view that leads to a convolution is copied.
        (
            f"{_VIEW}; conv2d(b w) y padding=1",
            {"freezing": True},
            "a>channels_last b>channels_last y>contiguous",
            {"b": _LAST},
        ),
        # Without the optimisation eager decides; so it does over one dimension.
        (_ALONE, {"device": "cuda", "mode": "training"}, "", {"a": (288, 36, 6, 1)}),
        ("conv1d(line v) y padding=1", {}, "", {"y": (72, 9, 1)}),
    ],
)
def test_what_is_copied(
    nodes: str, options: dict[str, Any], said: str, strides: dict[str, tuple[int, ...]]
) -> None:
    tensors = {"x": _X, "w": _W, "t": tensor((2, 6, 6, 8))}
    tensors |= {"line": tensor((2, 8, 9)), "v": tensor((8, 8, 3))}
    found = _carried(_graph(tensors, *chain(nodes)), **options)
    assert copied(found) == said
    placed = {name: found.tensors[name].layout for name in strides}
    assert {name: layout and layout.strides for name, layout in placed.items()} == strides
    if said == "x>channels_last":
        assert found.nodes[1].lost == "channels_last"
    if "mode" in options:
        assert "off" in found.nodes[0].reason
