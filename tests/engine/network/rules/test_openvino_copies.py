"""What OpenVINO 2026.4.1 was seen to select on AVX-512 for parts, pads, repeats and norms."""

import pytest

from app.engine.network import Graph, Propagation, propagate
from tests.engine.network.graphs import chain, copied, tensor

SHAPE = (1, 32, 8, 8)
ONE_WIDE = (1, 32, 8, 1)  # pooling makes blocks of it
_CONV, _POOL = "Conv(x w) a", "MaxPool(x) a kernel_shape=[1,1]"
_HALVES = f"{_CONV}; chunk(a) b c chunks=2 dim=1"


def carried(nodes: str, shape: tuple[int, ...] = SHAPE, isa: str = "avx512") -> Propagation:
    rank = len(shape)
    constants = {
        "w": tensor((32, shape[1], *(1,) * (rank - 2))),
        "w16": tensor((16, 16, 1, 1)),
        "n": tensor((shape[1],)),
        "n8": tensor((8,)),
        "n8x8": tensor((8, 8)),
        "k": tensor((1,), dtype="int64", values=(2,)),
    }
    graph = Graph.of(inputs={"x": tensor(shape)}, constants=constants, nodes=chain(nodes))
    return propagate(graph, "openvino-cpu", {"isa": isa})


def layout(found: Propagation, name: str) -> str:
    return found.tensors[name].text.removeprefix("onednn:")


@pytest.mark.parametrize(
    ("nodes", "shape", "selected"),
    [  # of the first result b
        # Parts of channels in channels last: planar where a reader takes no channels last.
        (f"{_HALVES}; Relu(b) d; Relu(c) e", SHAPE, "acdb"),
        (f"{_HALVES}; Conv(b w16) d; MaxPool(c) e kernel_shape=[2,2]", SHAPE, "acdb"),
        (f"{_HALVES}; Concat(c b) d axis=1", SHAPE, "acdb"),
        (f"{_HALVES}; Relu(b) d", SHAPE, "abcd"),  # c is a result of the network
        (f"{_HALVES}; Conv(b w16) d; HardSigmoid(c) e", SHAPE, "abcd"),
        (f"{_HALVES}; Softmax(b) d; Relu(c) e", SHAPE, "abcd"),
        (f"{_HALVES}; Flatten(b) d axis=1; Relu(c) e", SHAPE, "abcd"),
        (f"{_HALVES}; chunk(b) f g chunks=2 dim=1; Relu(c) d; HardSigmoid(f) e", SHAPE, "acdb"),
        (f"{_HALVES}; Dropout(b) d; HardSigmoid(d) e; Relu(c) f", SHAPE, "abcd"),
        (f"{_HALVES}; Conv(w16 b) d; Relu(c) e", (1, 32, 1, 1), "abcd"),
        (f"{_CONV}; split(a) b c split_size_or_sections=[30,2] dim=1; Relu(b) d; "
         "split(c) e f split_size_or_sections=1 dim=1; MaxPool(e) g kernel_shape=[2,2]; Relu(f) h",
         SHAPE, "acdb"),
        (f"{_HALVES}; LayerNormalization(b n8) d axis=3; Relu(c) e", SHAPE, "acdb"),
        (f"{_CONV}; split(a) c b split_size_or_sections=[31,1] dim=1; Relu(c) d; "
         "LogSoftmax(b) e axis=1", SHAPE, "abcd"),
        # Of one channel, pooling is planar.
        (f"{_CONV}; split(a) c b split_size_or_sections=[31,1] dim=1; Relu(c) d; "
         "MaxPool(b) e kernel_shape=[2,2]", SHAPE, "abcd"),
        # Other dimensions, and three of them, keep the layout.
        (f"{_CONV}; chunk(a) b c chunks=2 dim=2", SHAPE, "acdb"),
        (f"{_CONV}; chunk(a) b c chunks=2 dim=1", (1, 32, 8), "acb"),
        (f"{_CONV}; chunk(a) b c chunks=2 dim=1", (1, 32, 4, 4, 4), "abcde"),
        # Blocks that are not cut stay; else planar parts are views, where each is in one piece.
        (f"{_POOL}; chunk(a) b c chunks=2 dim=1", ONE_WIDE, "aBcd16b"),
        (f"{_POOL}; chunk(a) b c chunks=2 dim=1", (1, 24, 8, 1), "abcd"),
        (f"{_POOL}; chunk(a) b c chunks=2 dim=1", (2, 24, 8, 1), "acdb"),
        (f"{_POOL}; chunk(a) b c chunks=2 dim=2", (1, 24, 8, 1), "acdb"),
        # Slices keep channels last, for a result of the network too.
        (f"{_CONV}; narrow(a) b dim=1 start=0 length=16", SHAPE, "acdb"),
        (f"{_CONV}; slice(a) b dim=2 start=0 end=8 step=2; HardSigmoid(b) c", SHAPE, "acdb"),
        (f"{_POOL}; slice(a) b dim=1 start=16 end=20", ONE_WIDE, "aBcd16b"),
        (f"{_POOL}; slice(a) b dim=1 start=8 end=32", ONE_WIDE, "acdb"),
        (f"{_POOL}; slice(a) b dim=1 start=0 end=32 step=2", ONE_WIDE, "acdb"),
        (f"{_POOL}; slice(a) b dim=2 start=0 end=4", (1, 24, 8, 1), "acdb"),
        # Slices that cut a tensor whole are a Split; if they do not, or overlap, they are slices.
        (f"{_CONV}; slice(a) b dim=1 start=0 end=4; slice(a) c dim=1 start=4 end=32; "
         "HardSigmoid(b) d; HardSigmoid(c) e", SHAPE, "abcd"),
        (f"{_CONV}; slice(a) b dim=1 start=0 end=4; slice(a) c dim=1 start=4 end=20; "
         "HardSigmoid(b) d; HardSigmoid(c) e", SHAPE, "acdb"),
        (f"{_CONV}; slice(a) b dim=1 start=0 end=20; slice(a) c dim=1 start=12 end=32; "
         "HardSigmoid(b) d; HardSigmoid(c) e", SHAPE, "acdb"),
        (
            f"{_CONV}; slice(a) b dim=1 start=0 end=4; slice(a) c dim=1 start=4 end=32; "
            "slice(a) f dim=1 start=0 end=32 step=2; HardSigmoid(b) d; HardSigmoid(c) e",
            SHAPE, "abcd",
        ),
        # The one that the network returns stays a slice.
        (f"{_CONV}; slice(a) b dim=1 start=0 end=4; slice(a) c dim=1 start=4 end=32; Relu(c) e",
         SHAPE, "acdb"),
        (f"{_CONV}; slice(a) c dim=1 start=0 end=4; slice(a) b dim=1 start=4 end=32; Relu(b) e",
         SHAPE, "abcd"),
        # Padding, of four and five dimensions.
        (f"{_CONV}; pad(a) b pad=[1,1,1,1]", SHAPE, "acdb"),
        (f"{_CONV}; pad(a) b pad=[1,1]", (1, 32, 8), "abc"),
        (f"{_CONV}; pad(a) b pad=[1,1,1,1,1,1]", (1, 32, 4, 4, 4), "acdeb"),
        (f"{_POOL}; pad(a) b pad=[0,1,1,1,16,0]", ONE_WIDE, "aBcd16b"),
        (f"{_POOL}; pad(a) b pad=[0,1,1,1,2,0]", ONE_WIDE, "acdb"),
        (f"{_POOL}; pad(a) b pad=[0,0,1,1,16,0] mode=reflect", ONE_WIDE, "acdb"),
        (f"{_POOL}; pad(a) b pad=[0,0,1,1] mode=reflect", ONE_WIDE, "aBcd16b"),
        (f"{_POOL}; pad(a) b pad=[1,1,1,1]", (1, 24, 8, 1), "acdb"),
        # Repeats: of four and five dimensions.
        (f"{_CONV}; repeat(a) b repeats=[1,2,2,1]", SHAPE, "acdb"),
        (f"{_CONV}; repeat(a) b repeats=[1,2,1]", (1, 32, 8), "abc"),
        (f"{_CONV}; repeat(a) b repeats=[2,1,1,1,1]", SHAPE, "abcde"),
        (f"{_POOL}; repeat(a) b repeats=[1,2,1,1]", ONE_WIDE, "aBcd16b"),
        (f"{_POOL}; repeat(a) b repeats=[1,1,2,1]", (1, 20, 8, 1), "aBcd16b"),
        (f"{_POOL}; repeat(a) b repeats=[1,2,1,1]", (1, 24, 8, 1), "aBcd8b"),
        (f"{_POOL}; repeat(a) b repeats=[1,2,1,1]", (1, 20, 8, 1), "acdb"),
        (f"{_POOL}; expand(a) b size=[1,20,8,8]", (1, 20, 8, 1), "aBcd16b"),
        # Depth to space and back.
        ("LRN(x) a size=5; DepthToSpace(a) b blocksize=2", (1, 64, 8, 8), "aBcd16b"),
        ("LRN(x) a size=5; DepthToSpace(a) b blocksize=2", SHAPE, "acdb"),
        ("LRN(x) a size=5; DepthToSpace(a) b blocksize=3", (1, 144, 6, 6), "aBcd16b"),
        ("LRN(x) a size=5; DepthToSpace(a) b blocksize=3 mode=CRD", (1, 144, 6, 6), "acdb"),
        ("LRN(x) a size=5; SpaceToDepth(a) b blocksize=3", (1, 16, 6, 6), "aBcd16b"),
        (f"{_CONV}; SpaceToDepth(a) b blocksize=2", SHAPE, "acdb"),
        ("MaxPool(x) a kernel_shape=[1,1]; SpaceToDepth(a) b blocksize=2", (1, 3, 8, 8), "acdb"),
        (f"{_CONV}; channel_shuffle(a) b groups=2", SHAPE, "acdb"),
        ("LRN(x) a size=5; channel_shuffle(a) b groups=2", SHAPE, "abcd"),
        (f"{_CONV}; topk(a) b c k=4 dim=1; HardSigmoid(b) d", SHAPE, "acdb"),
        (f"{_POOL}; topk(a) b c k=4 dim=1", (1, 20, 8, 1), "aBcd16b"),
        # Normalisation by MVN, of four and five dimensions, of padded blocks too.
        (f"{_CONV}; instance_norm(a) b", SHAPE, "acdb"),
        (f"{_CONV}; instance_norm(a) b", (1, 32, 4, 4, 4), "acdeb"),
        (f"{_CONV}; instance_norm(a) b", (1, 32, 8), "abc"),
        (f"{_POOL}; instance_norm(a) b", (1, 24, 8, 1), "aBcd16b"),
        (f"{_CONV}; group_norm(a) b num_groups=4", SHAPE, "abcd"),
        (f"{_CONV}; group_norm(a) b num_groups=1", SHAPE, "acdb"),
        (f"{_CONV}; LayerNormalization(a n8x8) b axis=2", SHAPE, "acdb"),
        (f"{_CONV}; LayerNormalization(a n8) b axis=3", SHAPE, "abcd"),
        (f"{_CONV}; layer_norm(a) b normalized_shape=[8,8]", SHAPE, "acdb"),
        (f"{_CONV}; layer_norm(a) b normalized_shape=[8]", (1, 32, 8), "abc"),
        (f"{_CONV}; MeanVarianceNormalization(a) b axes=[2]", (1, 32, 8), "abc"),
        (f"{_CONV}; MeanVarianceNormalization(a) b axes=[0,2]", (1, 32, 8), "acb"),
        (f"{_CONV}; LpNormalization(a) b axis=1 p=2", SHAPE, "acdb"),
        (f"{_CONV}; LpNormalization(a) b axis=1 p=2", (1, 32, 8), "abc"),
        (f"{_CONV}; LpNormalization(a) b axis=2 p=2", (1, 32, 8), "acb"),
        (f"{_CONV}; LogSoftmax(a) b axis=1", SHAPE, "acdb"),
        (f"{_CONV}; LRN(a) b size=5", SHAPE, "aBcd16b"),
        (f"{_CONV}; LRN(a) b size=3", SHAPE, "abcd"),
        ("LRN(x) b size=5", (1, 48, 1, 1), "abcd"),
        (f"{_POOL}; LRN(a) b size=5", (1, 24, 8, 1), "abcd"),
        (f"{_POOL}; LRN(a) b size=5", (1, 20, 8, 1), "aBcd16b"),
        # Other element-wise kernels and reductions, and what the front ends remove.
        (f"{_CONV}; gt(a x) m; where(m a x) b", SHAPE, "acdb"),
        (f"{_CONV}; Celu(a) b", SHAPE, "acdb"),
        (f"{_CONV}; ReduceL2(a) b axes=[2,3]", SHAPE, "acdb"),
        (f"{_CONV}; contiguous(a) b; HardSigmoid(b) c", SHAPE, "acdb"),
        # Reductions and resizing of three dimensions, softmax over other dimensions: planar.
        (f"{_CONV}; mean(a) b dim=2 keepdim=true", (1, 32, 8), "abc"),
        (f"{_CONV}; interpolate(a) b scale_factor=2.0", (1, 32, 8), "abc"),
        (f"{_POOL}; Softmax(a) b axis=2", ONE_WIDE, "abcd"),
        # Pooling of three dimensions has no fast planar kernel; of five, depth does not matter.
        ("MaxPool(x) b kernel_shape=[1]", (1, 16, 8), "aBc16b"),
        ("MaxPool(x) b kernel_shape=[1,1,1]", (1, 16, 1, 8, 8), "abcde"),
    ],
)  # fmt: skip  # a table: a row a network
def test_the_layout_that_is_selected(nodes: str, shape: tuple[int, ...], selected: str) -> None:
    assert layout(carried(nodes, shape), "b") == selected


def test_a_split_reads_channels_last_and_writes_planar_without_a_reorder_between() -> None:
    found = carried(f"{_HALVES}; Conv(b w16) d; HardSigmoid(c) e")
    assert copied(found) == "x>acdb b>acdb d>abcd"
    assert "Selected: acdb, its results abcd." in found.nodes[1].reason
    assert found.nodes[1].lost == "acdb"


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [
        ("Flatten(a) b axis=1", "The node Reshape is planar."),
        ("MatMul(a a) b", "Products of matrices are planar."),
        ("sort(a) b c dim=1", "This model knows of no other layout for it than the planar one."),
    ],
)
def test_what_is_planar_says_which_node_is(nodes: str, reason: str) -> None:
    found = carried(f"{_CONV}; {nodes}")
    assert (found.nodes[1].reason, layout(found, "a")) == (reason, "acdb")


def test_an_image_between_a_convolution_and_a_planar_reader_is_cut_in_channels_last() -> None:
    found = carried(f"{_CONV}; narrow(a) b dim=2 start=0 length=4; HardSigmoid(b) c")
    assert copied(found) == "x>acdb b>abcd"


def test_on_avx2_response_normalisation_takes_no_blocks() -> None:
    assert layout(carried(f"{_CONV}; LRN(a) b size=5", isa="avx2"), "b") == "abcd"


def test_values_that_only_a_run_knows_leave_channels_last() -> None:
    inputs = {"x": tensor((1, 32, 8, 1)), "pads": tensor((8,), dtype="int64")}
    nodes = chain(f"{_POOL}; Pad(a pads) b; Slice(b pads pads) c")
    known = {name: tensor((1, 32, 8, 2)).type for name in ("b", "c")}
    graph = Graph.of(inputs=inputs, constants={}, nodes=nodes, known=known)
    found = propagate(graph, "openvino-cpu")
    assert [layout(found, name) for name in "abc"] == ["aBcd16b", "acdb", "acdb"]


def test_many_slices_and_parts_of_parts_are_followed_once_each() -> None:
    size, last = 800, "interpolate(x) p0 scale_factor=2.0"  # channels last
    slices = [f"narrow(p0) s{i} dim=1 start={i} length=1; Relu(s{i}) r{i}" for i in range(size)]
    parts = [
        f"split(p{i}) p{i + 1} u{i} split_size_or_sections=[{size - i - 1},1] dim=1; "
        f"Dropout(u{i}) v{i}; Relu(v{i}) t{i}"
        for i in range(size - 1)
    ]
    found = carried("; ".join([last, *slices, *parts]), shape=(1, size, 2, 1))
    assert [found.tensors[name].text for name in ("p1", "s9")] == ["onednn:acdb"] * 2
