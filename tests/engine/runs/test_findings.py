"""Findings in logs, and the counter-examples where each of them must stay silent."""

import pytest

from app.engine.runs.finding import Finding
from app.engine.runs.report import read_run
from tests.engine.runs.logs import (
    BLOCKED,
    HEADER,
    LAST,
    PLAIN,
    conv,
    in_place,
    line,
    plain_conv,
    reorder,
)

POOL = line(
    "pooling",
    f"src:f32::blocked:{PLAIN}::f0 dst:f32::blocked:{PLAIN}::f0",
    "mb2ic32_ih12oh6kh2sh2dh0ph0_iw12ow6kw2sw2dw0pw0",
    prop="forward_inference",
)
WEIGHTS = "32x16x3x3"
DISPATCH = (
    "onednn_verbose,v1,primitive,create:dispatch,convolution,cpu,convolution,"
    "brgconv:avx512_core,forward_training,src:f32:a:any:any::f0,,alg:convolution_direct,"
    "mb2_ic16oc24_ih12oh12kh3sh1dh0ph1_iw12ow12kw3sw1dw0pw1,unsupported post-ops, sum,src/x.cpp:9\n"
)
REF = {"implementation": "ref:any", "ms": "50"}
SUM = "src:f32::blocked:ab::f0 dst:f32::blocked:ab::f0"
OTHER_WEIGHTS = reorder(PLAIN, "ABcd16b16a", "9x9x3x3")
TO_LAST = reorder(BLOCKED, LAST, "2x32x12x12")
TO_PLAIN_LAST = reorder(PLAIN, LAST, "2x32x12x12")
SLOW_FIRST = reorder("ab", "ba", "8x8", "9")


RELU = line("eltwise", f"data:f32::blocked:{PLAIN}::f0", "2x32x12x12")


def between(**more: str) -> str:
    """Three convolutions with plain memory between, which something else reads."""
    layers = (plain_conv(a, b, **more) for a, b in ((16, 32), (32, 32), (32, 48)))
    return RELU.join(layers)


def found(text: str, code: str) -> list[Finding]:
    return [each for each in read_run(HEADER + text).findings if each.code == code]


def training(channels: int, results: int) -> str:
    back = conv(channels, results, prop="backward_weights")
    return plain_conv(channels, results) + reorder(PLAIN, BLOCKED, f"2x{results}x12x12") + back


def test_reorders_around_one_primitive_are_named_with_their_time_and_what_avoids_them() -> None:
    text = reorder(PLAIN, BLOCKED, "2x16x12x12", "0.25") + conv(16, 32, ms="1.5")
    (one,) = found(text + reorder(BLOCKED, PLAIN, "2x32x12x12", "0.5"), "format_conflict")
    assert one.ms == 0.75
    assert "One convolution is given abcd, computes in aBcd16b and gives back abcd" in one.text
    assert "(2x16x12x12 to aBcd16b, 2x32x12x12 to abcd), 750 µs beside 1.5 ms" in one.text
    assert "channels_last" in one.text
    (asked,) = found(plain_conv(16, 32, mark=""), "format_conflict")
    assert "The program asked for aBcd16b itself" in asked.text
    given_last = plain_conv(16, 32).replace(BLOCKED, "aBcd8b").replace(PLAIN, LAST)
    (last,) = found(given_last, "format_conflict")
    assert last.text.endswith("Hand over aBcd8b, where the operators between can read it.")
    (three,) = found(between(), "format_conflict")
    assert "3 primitives (convolution) are given abcd, compute in aBcd16b" in three.text
    # The last one gives nothing back: a reorder before it is none of the first one's.
    to_blocked = reorder(PLAIN, BLOCKED, "2x32x12x12")
    alike = to_blocked + conv(32, 32) + reorder(BLOCKED, PLAIN, "2x32x12x12")
    (shared,) = found(alike + to_blocked + conv(32, 32), "format_conflict")
    assert "gives back abcd: reorders around it and its neighbours 3 times" in shared.text


def test_reorders_around_what_takes_any_layout_name_it_and_the_layout_to_keep() -> None:
    v2 = (
        "dnnl_verbose,exec,cpu,reorder,jit:uni,undef,src_f32::blocked:aBcd16b:f0 "
        "dst_f32::blocked:abcd:f0,,,2x32x12x12,0.5\n"
        "dnnl_verbose,exec,cpu,eltwise,jit:avx512_core,forward_inference,"
        "data_f32::blocked:abcd:f0,,alg:eltwise_relu alpha:0 beta:0,2x32x12x12,0.5\n"
        "dnnl_verbose,exec,cpu,reorder,jit:uni,undef,src_f32::blocked:abcd:f0 "
        "dst_f32::blocked:aBcd16b:f0,,,2x32x12x12,0.5\n"
    )
    (one,) = read_run(v2).findings
    assert one.text == (
        "eltwise (relu), row 2, runs in abcd between two inverse reorders (2x32x12x12), once: "
        "keep aBcd16b."
    )
    assert (one.code, one.certainty, one.ms, one.events) == ("round_trip", "likely", 1.0, (0, 2))
    pooled = v2.replace("eltwise,", "pooling,").replace("alg:eltwise_relu", "alg:pooling_max")
    (one,) = read_run(pooled).findings
    assert one.text.startswith("pooling (max), row 2, runs in abcd between ")


INTO, OUT = (reorder(*pair, "2x32x12x12") for pair in ((PLAIN, BLOCKED), (BLOCKED, PLAIN)))
PLAINS = " ".join(f"{side}:f32::blocked:{PLAIN}::f0" for side in ("src", "src", "dst"))
ADD = line("binary", PLAINS, "2x32x12x12:2x32x12x12")
POOLED = "mb2ic32_ih6oh3kh2sh2dh0ph0_iw6ow3kw2sw2dw0pw0"
HALF = line("pooling", PLAINS.partition(" ")[2], POOLED, prop="forward_inference")
SMALL_INTO = reorder(PLAIN, BLOCKED, "2x32x3x3")
SMALL_SOFTMAX = line("softmax", f"data:f32::blocked:{PLAIN}::f0", "2x32x6x6")
BEGIN, MIDDLE, END = (conv(*each, mark="") for each in ((16, 32), (32, 32), (32, 48)))
NINE = "2x32x9x9"
PAIR = reorder(PLAIN, BLOCKED, NINE) + reorder(BLOCKED, PLAIN, NINE)
WRITTEN = line("eltwise", "src:f32::blocked:ab::f0 dst:f32::blocked:abcd::f0", WEIGHTS)
BATCHES = "src:f32::blocked:abc::f0 wei:f32::blocked:acb::f0 dst:f32::blocked:abc::f0"
PRODUCT = reorder("abc", "acb", "8x64x32") + line("matmul", BATCHES, "8x9x64:8x64x32")
SMALL = reorder("ab", "ba", "8x8", "0.5") * 12

FOUND: dict[str, list[tuple[str, list[tuple[int, ...]]]]] = {
    "round_trip": [
        # X to Y and back, of a tensor that nothing else can be.
        (plain_conv(16, 32) + plain_conv(32, 48), [(3, 4)]),
        ((plain_conv(16, 32) + plain_conv(32, 48)) * 2, [(3, 4, 11, 12)]),
        # What takes any layout needs no reorders around it: one primitive, weights that are
        # converted between, several, repetitions, a branch that is added, pooling.
        (BEGIN + OUT + in_place("eltwise", PLAIN) + INTO + END, [(1, 3)]),
        (BEGIN + OUT + RELU + OTHER_WEIGHTS + INTO + END, [(1, 4)]),
        (BEGIN + OUT + in_place("batch_normalization", PLAIN) + RELU + INTO + END, [(1, 4)]),
        ((BEGIN + OUT + RELU + INTO + END) * 2, [(1, 3, 6, 8)]),
        (BEGIN + OUT + RELU + INTO + MIDDLE + OUT + ADD + INTO + END, [(1, 3, 5, 7)]),
        (BEGIN + OUT + POOL + HALF + SMALL_INTO + END, [(1, 4)]),
    ],
    "weights_each_call": [
        (plain_conv(16, 32) * 3, [(1, 5, 9)]),
        ((plain_conv(3, 16) + plain_conv(16, 16)) * 2, [(1, 5, 9, 13)]),
        (OTHER_WEIGHTS + plain_conv(16, 32) * 2, [(2, 6)]),
    ],
    "format_conflict": [
        (conv(16, 32) + TO_LAST + conv(32, 48, LAST), [(1,)]),
        # Each convolution converts what it reads and writes, because of what stands between.
        (between(), [(0, 3, 5, 8, 10, 13)]),
        (between() * 2, [(0, 3, 5, 8, 10, 13, 14, 17, 19, 22, 24, 27)]),
        # So do one or two, where that is a tenth of the time; else they may be a network's edges.
        (plain_conv(16, 32), [(0, 3)]),
        (plain_conv(16, 32) * 3, [(0, 3, 4, 7, 8, 11)]),
        (plain_conv(16, 32) + RELU + plain_conv(32, 48), [(0, 3, 5, 8)]),
        # Where the program asked for the layouts itself.
        (plain_conv(16, 32, mark=""), [(0, 3)]),
    ],
    "slow_implementation": [(conv(16, 32) * 3 + conv(16, 24, **REF), [(3,)])],
    "small_reorders": [(SMALL, [tuple(range(1, 12))])],
}
SILENT: dict[str, list[str]] = {
    "round_trip": [
        # The second reorder may read the network's input: two branches of equal shape.
        plain_conv(32, 32) + plain_conv(32, 48),
        # Somebody else reads the tensor between them; a primitive stands between.
        plain_conv(16, 32) + plain_conv(32, 48) + POOL,
        plain_conv(16, 32) + POOL + plain_conv(32, 48),
        # The same memory under two names moves nothing.
        reorder(PLAIN, LAST, "2x5x1x1") + reorder(LAST, PLAIN, "2x5x1x1"),
        PAIR.replace("f32", "f9"),  # of an unknown type
        # The way back is the gradient's; quantised between; to the GPU and back.
        training(16, 32),
        reorder(PLAIN, BLOCKED, NINE, types="f32 s8")
        + reorder(BLOCKED, PLAIN, NINE, types="s8 f32"),
        reorder(PLAIN, BLOCKED, NINE, engine="cpu2gpu")
        + reorder(BLOCKED, PLAIN, NINE, engine="gpu2cpu"),
        # The end of one repetition and the beginning of the next.
        (reorder(BLOCKED, PLAIN, NINE) + POOL + reorder(PLAIN, BLOCKED, NINE)) * 3,
        # Another layout afterwards; a softmax; another reader; a tensor from outside; training.
        BEGIN + OUT + RELU + TO_PLAIN_LAST + END,
        BEGIN + OUT + in_place("softmax", PLAIN) + INTO + END,
        BEGIN + OUT + RELU + INTO + END + in_place("softmax", PLAIN),
        BEGIN + OUT + POOL + HALF + SMALL_INTO + END + SMALL_SOFTMAX,
        INTO + MIDDLE + OUT + RELU + INTO + END,
        BEGIN + OUT + in_place("eltwise", PLAIN, prop="backward_data") + INTO + END,
    ],
    "weights_each_call": [
        plain_conv(16, 32).replace("ABcd16b16a", PLAIN) * 3,  # moves nothing
        # Once is no repetition; N equal layers are not one layer N times.
        plain_conv(16, 32),
        plain_conv(32, 32) * 6,
        plain_conv(16, 24) + plain_conv(24, 24) * 6,
        plain_conv(3, 16) + plain_conv(16, 32) * 6,
        # The first call prepares, the others use it.
        reorder(PLAIN, "ABcd16b16a", WEIGHTS) + conv(16, 32) * 6,
        # Weights change in a training step; weights that a primitive wrote; a product of batches.
        training(16, 32) * 3,
        (WRITTEN + plain_conv(16, 32)) * 3,
        PRODUCT * 3,
    ],
    "format_conflict": [
        # The caller asked for both layouts; the type changes; two readers; the network's edge.
        conv(16, 32, mark="") + TO_LAST + conv(32, 48, LAST, mark=""),
        conv(16, 32) + TO_LAST.replace("dst:f32", "dst:s8") + conv(32, 48, LAST),
        conv(16, 32) + TO_LAST + conv(32, 48, LAST) + conv(32, 8, LAST),
        TO_PLAIN_LAST + conv(32, 48, LAST),
        between(mark=""),
        plain_conv(16, 32, ms="9"),
        INTO + in_place("softmax", BLOCKED) + OUT,
        reorder(PLAIN, BLOCKED, "2x16x12x12") + conv(16, 32),
        # What nothing stands between are round trips.
        plain_conv(16, 32) + plain_conv(32, 48),
        plain_conv(16, 32) + plain_conv(32, 48) + plain_conv(48, 64),
    ],
    "slow_implementation": [
        # The only implementation; a usual one; times of the clock's step; no share.
        conv(16, 32, **REF) + conv(16, 24, **REF),
        line("sum", SUM, "2x3", "9", implementation="simple:any") + line("sum", SUM, "2x4", "9"),
        conv(16, 32) + conv(16, 24, **REF | {"ms": "0.001"}),
        conv(16, 32, ms="900") + conv(16, 24, **REF | {"ms": "20"}),
    ],
    "small_reorders": [
        # The clock's noise; a slow first call; large ones; few beside the rest.
        SMALL.replace(",0.5", ",0.002"),
        SLOW_FIRST + reorder("ab", "ba", "8x8", "0.003") * 11,
        reorder("ab", "ba", "2000x2000", "0.9") * 12,
        SMALL + conv(16, 32, ms="900"),
    ],
}


@pytest.mark.parametrize("code", FOUND)
def test_each_finding_and_where_it_is_silent(code: str) -> None:
    for text, events in [*FOUND[code], *((text, []) for text in SILENT[code])]:
        assert [each.events for each in found(text, code)] == events, text


@pytest.mark.parametrize(("calls", "often"), [(1, "once"), (2, "2 times")])
def test_a_slow_implementation_tells_how_often_it_ran(calls: int, often: str) -> None:
    [finding] = found(conv(16, 32) * 3 + conv(16, 24, **REF) * calls, "slow_implementation")
    assert f" {often}, where calls with the same types ran as" in finding.text


def test_a_dispatch_line_makes_it_certain() -> None:
    (likely,) = found(conv(16, 32) * 3 + conv(16, 24, **REF), "slow_implementation")
    (certain,) = found(DISPATCH + conv(16, 32) * 3 + conv(16, 24, **REF), "slow_implementation")
    assert (likely.certainty, certain.certainty) == ("likely", "certain")
    assert "brgconv:avx512_core: unsupported post-ops, sum" in certain.text
    assert (likely.ms, likely.bytes) == (certain.ms, certain.bytes)


def test_a_finding_has_the_times_and_bytes_of_its_events() -> None:
    (trip,) = found(plain_conv(16, 32) + plain_conv(32, 48), "round_trip")
    assert (trip.ms, trip.bytes) == (1.0, 2 * 2 * 2 * 32 * 144 * 4)
    assert trip.unseen


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        # Another pair of equal tensors: which of them the last row reads is not known.
        (PAIR + POOL + PAIR, "Row 2 is the inverse of row 1 (the first of 2 such pairs),"),
        # What is between is the network's input too, or is read once more.
        (reorder(BLOCKED, LAST, NINE) + PAIR, "Row 3 is the inverse of row 2,"),
        (PAIR + reorder(BLOCKED, LAST, NINE), "Row 2 is the inverse of row 1,"),
        # A finding; a gradient; a primitive between; another layout.
        (PAIR, ""),
        (training(16, 32), ""),
        (PAIR.replace("\n", f"\n{POOL}", 1), ""),
        (reorder(PLAIN, BLOCKED, NINE) + reorder(BLOCKED, LAST, NINE), ""),
    ],
)
def test_inverse_neighbours_that_are_no_finding_say_why(text: str, rows: str) -> None:
    run = read_run(HEADER + text)
    trips = [each for each in run.findings if each.code == "round_trip"]
    told = [note for note in run.notes if "inverse" in note]
    assert len(told) == bool(rows)
    if rows:
        assert trips == []
        assert told[0].startswith(f"{rows} but no finding is made of it: a log has no names")
        assert "2x32x9x9 in aBcd16b is written or read by other rows as well" in told[0]
