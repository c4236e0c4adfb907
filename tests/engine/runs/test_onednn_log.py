"""Logs of oneDNN: every spelling since 1.0, what is no event, and what is hostile."""

import json
import math

import numpy as np
import pytest

from app.engine import offset_map, parse_dtype, parse_layout
from app.engine.runs import onednn_log
from app.engine.runs.events import Operand, Recorded
from app.engine.runs.onednn_log import read_onednn_log
from app.engine.runs.report import read_run
from tests.engine.runs.logs import HEADER, executions, line, reorder
from tests.places import ROOT

ROWS = json.loads((ROOT / "tests/golden/torch_runs.json").read_text("utf-8"))["rows"]
OLD = "src_f32::blocked:abcd:f0 dst_f32::blocked:aBcd8b:f0"
GEMM = (
    "onednn_verbose,v1,primitive,exec,cpu,gemm_api,,undef,src_f32::blocked:ab:f0 "
    "wei_f32::blocked:ba:f0 dst_f32::blocked:ab:f0"
)


def operands(log: Recorded, at: int = 0) -> str:
    """As ``2x3 onednn:ab 24``, with a ``+`` behind bytes that are the least."""
    return " | ".join(
        f"{'x'.join(map(str, o.shape or ['?']))} {o.layout or '?'} {o.bytes}{'+' * o.at_least}"
        for o in log.event(at).operands
    )


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_real_logs_have_each_event_time_and_byte(row: dict[str, str]) -> None:
    log = read_onednn_log(row["log"])
    expected = list(executions(row["log"]))
    events = [log.event(i) for i in range(len(log.ids))]
    assert [[e.engine, e.primitive, e.implementation] for e in events] == [
        columns[:3] for columns in expected
    ]
    assert sum(e.ms or 0 for e in events) == pytest.approx(sum(float(c[-1]) for c in expected))
    assert log.versions == ("oneDNN v3.12.0",)
    assert log.skipped.lines == 0
    for operand in (o for e in events for o in e.operands):
        assert operand.bytes == brute_force_bytes(operand), operand
        assert not operand.at_least


def brute_force_bytes(operand: Operand) -> int:
    """The greatest address of the padded tensor, by its map."""
    assert operand.layout is not None
    assert operand.shape is not None
    assert operand.dtype is not None
    layout = parse_layout(operand.layout, operand.shape)
    padded = parse_layout(operand.layout, layout.padded_shape)
    return (int(offset_map(padded).max()) + 1) * parse_dtype(operand.dtype).bits // 8


TEMPLATE = (
    "onednn_verbose,primitive,info,template:timestamp,operation,engine,primitive,"
    "implementation,prop_kind,memory_descriptors,attributes,auxiliary,problem_desc,extra,exec_time"
)
SPELLINGS = {
    "a template names the columns": (
        f"{TEMPLATE}\nonednn_verbose,17.5,primitive,exec,cpu,eltwise,jit,undef,"
        "data_f32::blocked:ab::f0,,,2x3,x,0.5",
        "2x3 onednn:ab 24",
    ),
    "1.0: no attributes": (
        f"mkldnn_verbose,exec,cpu,reorder,jit:uni,undef,{OLD},num:1,2x16x7x7,0.5",
        "2x16x7x7 onednn:abcd 6272+ | 2x16x7x7 onednn:aBcd8b 6272+",
    ),
    "1.1: padded channels": (
        f"dnnl_verbose,exec,cpu,reorder,jit:uni,undef,{OLD},,,2x10x7x7,0.5",
        "2x10x7x7 onednn:abcd 3920+ | 2x10x7x7 onednn:aBcd8b 6272+",
    ),
    "3.2: strides, a timestamp, a mask": (
        "onednn_verbose,1700000000000.25,primitive,exec,cpu,matmul,brg,undef,"
        "src_f32:a:blocked:ab:160x1:f0 wei_bf16:a:blocked:BA16a64b4a::f0 "
        "bia_f32:a:blocked:ab::f0_mask2 dst_f32:a:blocked:ab::f0,"
        "attr-scratchpad:user ,,3x4:4x5,0.5",
        "3x4 (160, 1) 1296 | 4x5 onednn:BA16a64b4a 8192 | 1x5 onednn:ab 20 | 3x5 onednn:ab 60",
    ),
    "blocks with gaps; compensation behind the weights": (
        line(
            "reorder",
            "src:f32::blocked:aBcd16b:9000x1600x80x16:f0 dst:s8:p:blocked:AcdB32a4b::f8:zpm1",
            "2x32x5x3",
        ),
        "2x32x5x3 cute:(2,(16,2),5,3):(9000,(1,1600),80,16) 43872"
        " | 2x32x5x3 onednn:AcdB32a4b 15360+",
    ),
    "a start that the line does not give": (
        line("reorder", "src:f32:0:blocked:ab:9x1:f0 dst:f32::blocked:ab::f0", "2x3"),
        "2x3 ? 48+ | 2x3 onednn:ab 24",
    ),
    "run-time sizes; a layout left open": (
        line("matmul", "src:f32::blocked:ab:*x1:f0 wei:s4::any:any::f0", "*x4:4x5"),
        "? ? None | ? ? None",
    ),
    "no strides in the field of strides": (
        line("reorder", "src:f32::blocked:ab::f0 dst:s8::blocked:AB4b16a4b:s8m1:f0", "2x3"),
        "2x3 onednn:ab 24 | 2x3 ? None",
    ),
    "a fused depthwise convolution writes another size; no bias": (
        line(
            "convolution",
            "src:f32::blocked:abcd::f0 bia:undef::undef::: dst:f32::blocked:abcd::f0",
            "mb1_ic3oc8_ih8oh8kh3sh1dh0ph1_iw8ow8kw3sw1dw0pw1",
            attributes="attr-post-ops:eltwise_relu+dw:k3s1p1",
        ),
        "1x3x8x8 onednn:abcd 768 | ? onednn:abcd None",
    ),
    "blocks with gaps and padding are no text; a word is no descriptor; undef is nothing": (
        line("sum", "src:f32::blocked:aBcd16b:9000x1600x80x16:f0 odd undef", "2x10x5x3"),
        "2x10x5x3 ? 37472 | ? ? None",
    ),
    "another rank": (line("sum", "src:f32::blocked:ab:6x3x1:f0", "2x3"), "2x3 ? None"),
    "prelu": (
        line("prelu", "data:f32::blocked:ab::f0 wei:f32::blocked:ab::f0", "4x6:1x6"),
        "4x6 onednn:ab 96 | 1x6 onednn:ab 24",
    ),
    "a BLAS call keeps the old spelling and tells the strides between rows": (
        f"{GEMM},lda:6 ldb:7 ,,3x4:4x5,0.5",
        "3x4 (6, 1) 64 | 4x5 (1, 7) 128 | 3x5 onednn:ab 60+",
    ),
    "a BLAS call without a stride is dense; a strange one is not known": (
        f"{GEMM},ldb:many,,3x4:4x5,0.5",
        "3x4 onednn:ab 48 | 4x5 onednn:ba 80+ | 3x5 onednn:ab 60+",
    ),
}


@pytest.mark.parametrize(("text", "expected"), SPELLINGS.values(), ids=SPELLINGS)
def test_every_spelling_is_read(text: str, expected: str) -> None:
    log = read_onednn_log(text)
    assert operands(log) == expected
    assert log.event(0).ms == 0.5
    assert log.skipped.lines == 0


def test_times_are_kept_as_they_are() -> None:
    times = {"0,431": 0.431, "-0.25": -0.25, "0": 0.0, "1e-05": 1e-05}  # a decimal comma
    for time, ms in {**times, "nan": None, "inf": None, "1e300": None}.items():
        log = read_onednn_log(reorder("ab", "ba", "2x3", time) * 2)
        assert [log.event(i).ms for i in range(2)] == [ms, ms], time


V1 = "onednn_verbose,v1,"
CREATED = "onednn_verbose,create:cache_miss,cpu,reorder,jit,,,,,2,0.25"
EXTERNAL = f"{V1}primitive,exec:external,cpu,matmul,acl,,,,,2,0.25"
GRAPH = f"{V1}graph,exec,cpu,1,k,a;b,,in0_f32:7:strided,,x,y,0.25"
INFO = "header", 0.0
BEFORE_1_0 = "mkldnn_verbose,exec,reorder,jit,undef,in:f32_nchw out:f32_nChw8c,num:1,2x3,0.1"


@pytest.mark.parametrize(
    ("text", "events", "others", "skipped"),
    [
        (CREATED, 0, ("create:cache_miss", 0.25), 0),
        (EXTERNAL, 0, ("exec:external", 0.25), 0),
        (GRAPH, 0, ("graph", 0.25), 0),
        (f"{V1}ukernel,exec,cpu,brgemm,,,,0.25", 0, ("ukernel", 0.25), 0),
        (f"{V1}primitive,exec:check,matmul,odd, text,src/x.cpp:9", 0, ("exec:check", 0), 0),
        (f"{V1}primitive,error,gpu,out of memory,src/x.cpp:9", 0, ("error", 0), 0),
        ("onednn_verbose,exec,zero_pad, unknown info,0.1", 0, None, 1),
        (BEFORE_1_0, 0, None, 1),
        (reorder("ab", "ba", "2x3")[:-9], 0, None, 1),
        (reorder("ab", "ba", "2x3", "0.0.1"), 0, None, 1),
        (reorder("ab", "ba", "2x3", engine="tpu"), 0, None, 1),
        (f"{V1}info,template:operation,exec_time\n" + reorder("ab", "ba", "2x3"), 1, INFO, 0),
        (f"{V1}primitive,create:dispatch,cpu,cut", 0, ("create:dispatch", 0), 0),
        (" \n", 0, None, 0),
        ("my_verbose,exec", 0, None, 1),
        ("epoch 3: loss 0.25", 0, None, 1),
        ("loss 0.25 " + reorder("ab", "ba", "2x3"), 1, None, 0),
        (reorder("ab", "ba", "2x3").strip() + reorder("ab", "ba", "2x3"), 2, None, 0),
        ("\x1b[32m[0] " + reorder("ab", "ba", "2x3").strip() + "\x1b[0m\r\n", 1, None, 0),
        (f"{V1}primitive,frobnicate,cpu,0.1", 0, None, 1),
    ],
)
def test_lines_are_events_others_or_skipped(
    text: str, events: int, others: tuple[str, float] | None, skipped: int
) -> None:
    log = read_onednn_log(text)
    assert len(log.ids) == events
    assert log.skipped.lines == skipped == len(log.skipped.first)
    assert [(o.kind, o.ms) for o in log.others] == ([others] if others else [])


def test_hostile_logs_are_counted_and_shown() -> None:
    long = "x" * 10_000_000
    text = "\n".join(
        [
            long,
            reorder("ab", "ba", "2x3") + "\x00\x07 odd \u202e",
            f"onednn_verbose,v1,primitive,exec,cpu,{long}",
            "onednn_verbose," * 1000,
            reorder("a" * 40, "zz9", "9x9"),
            reorder("ab", "ba", f"{10**17}x{10**17}"),
        ]
    )
    log = read_onednn_log(text)
    assert len(log.ids) == 3
    assert log.skipped.lines == 1 + 1 + 1 + 1000
    assert all(len(s.text) <= 200 and s.text.isprintable() for s in log.skipped.first)
    assert [s.line for s in log.skipped.first[:3]] == [1, 3, 4]
    assert [o.layout for o in log.event(1).operands] == [None, None]
    assert operands(log, 2) == " | ".join([f"{10**17}x{10**17} ? None"] * 2)


def test_beyond_many_different_lines_only_their_operands_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(onednn_log, "MOST_KINDS", 3)
    text = "".join(reorder("ab", "ba", f"2x{n}") for n in range(1, 9)) + reorder("ab", "ba", "2x1")
    run = read_run(f"{V1}info,filter format is enabled, hit components: 1\n{text}")
    assert [bool(run.recorded.event(i).operands) for i in range(9)] == [True] * 3 + [False] * 5 + [
        True
    ]
    assert (run.totals.reorders, run.totals.ms, run.totals.reorder_bytes_at_least) == (9, 4.5, True)
    assert "with a filter" in run.notes[0]
    assert "of 5 others" in run.notes[1]


def test_a_last_line_that_was_cut_is_said_and_counts_nowhere() -> None:
    whole, last = reorder("ab", "ba", "2x3", "0.5"), reorder("ab", "aB16b", "2x3", "0.5").rstrip()
    for cut in (last[:-3], last[:-9], last[:40]):
        run = read_run(whole + cut)
        assert ["cut" in each for each in run.notes] == [True]
        assert (run.totals.events, [pair.target for pair in run.totals.layout_pairs]) == (
            1,
            ["onednn:ba"],
        )
    assert not read_run(whole + last[:40] + "\n" + whole).notes
    assert not read_run(whole + "$ exit").notes


def test_many_equal_lines_are_one_kind() -> None:
    log = read_onednn_log(HEADER + reorder("ab", "ba", "2x3", "0.5") * 50_000)
    assert len(log.kinds) == 1
    assert np.array_equal(log.ids, np.zeros(50_000))
    assert math.fsum(log.ms) == 25_000
