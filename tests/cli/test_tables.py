"""What a person reads: the numbers of the worked examples, in grids and tables."""

import dataclasses
import io
import json
import re
import tracemalloc
from itertools import islice

import pytest
from rich.console import Console

from app.cli import tables
from app.cli.arguments import tensor
from app.cli.pictures import pictures
from app.engine.model.layout import Swizzle
from tests.cli.conftest import Run


def memory_of(output: str) -> list[list[str]]:
    """The rows of the memory grid, without the addresses."""
    lines = output.split("\nmemory")[1].splitlines()[1:]
    return [line.split()[1:] for line in lines if re.match(r"\s+\d+  ", line)]


def drawn(layout: str, shape: str, *, encoding: str = "utf-8", width: int = 100) -> str:
    """Both grids as a terminal of ``encoding`` gets them."""
    raw = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    screen = Console(file=raw, width=width, no_color=True, highlight=False)
    asked = tensor(shape, layout, "float32").parse()
    for part in pictures(asked, screen, row_elems=None, rows=16, letters=False):
        screen.print(part, no_wrap=True)
    raw.flush()
    buffer = raw.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode(encoding)


@pytest.mark.parametrize(
    ("layout", "rows"),
    [
        ("HW", [["A", "B", "C"], ["D", "E", "F"]]),
        ("WH", [["A", "D"], ["B", "E"], ["C", "F"]]),
        ("(5,1)", [["A", "B", "C", "·", "·"], ["D", "E", "F"]]),
        ("(0,1)", [["A+", "B+", "C+"]]),
        ("(-3,1)+3", [["D", "E", "F"], ["A", "B", "C"]]),
    ],
)
def test_memory_of_the_letters(run: Run, layout: str, rows: list[list[str]]) -> None:
    result = run("describe", "2x3", layout, "--letters")
    assert result.exit_code == 0, result.stderr
    assert memory_of(result.stdout) == rows


def test_figure_tensor_in_nchw4(run: Run) -> None:
    rows = memory_of(run("describe", "2,64,3,3", "NCHW4").stdout)
    assert rows[0] == ["0000", "0009", "0018", "0027"]
    assert rows[1] == ["0001", "0010", "0019", "0028"]
    assert rows[9] == ["0036", "0045", "0054", "0063"]


def test_padding_of_a_ragged_block_is_hatched(run: Run) -> None:
    output = run("describe", "1,6,1,2", "NCHW4").stdout
    assert memory_of(output)[2:] == [["08", "10", "░░", "░░"], ["09", "11", "░░", "░░"]]
    assert "░░ padding" in output


def test_no_sign_needs_more_than_ascii() -> None:
    assert drawn("NCHW4", "1,6,1,2", encoding="ascii").count("##") == 5
    assert "0 1 2 . ." in drawn("(5,1)", "2,3", encoding="ascii")


def test_logical_planes_stand_side_by_side() -> None:
    output = drawn("NCHW", "1,2,2,2")
    assert re.search(r"n=0 c=0 +n=0 c=1\s+0 1 +4 5\s+2 3 +6 7", output)


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC", "NCHW4"])
def test_no_line_is_wider_than_the_screen(layout: str, width: int) -> None:
    lines = drawn(layout, "1000,1000,1000,1000", width=width).splitlines()
    assert max(map(len, lines)) <= width
    assert sum(re.match(r"\s+\d+  \d", line) is not None for line in lines) == 16


def test_what_is_left_out_is_counted(run: Run) -> None:
    output = run("describe", "10,3,32,32", "NCHW", "--rows", "8").stdout
    assert "… 952 more rows" in output
    assert "… 28 more rows" in output
    assert "… 24 more planes" in output or "… 27 more planes" in output


def test_row_length_is_the_readers(run: Run) -> None:
    assert memory_of(run("describe", "2,3", "HW", "--row", "4").stdout) == [
        ["0", "1", "2", "3"],
        ["4", "5"],
    ]


def test_an_enlarged_buffer_ends_in_a_gap(run: Run) -> None:
    output = run("describe", "2,3", "(5,1)", "--elements", "10").stdout
    assert memory_of(output) == [["0", "1", "2", "·", "·"], ["3", "4", "5", "·", "·"]]
    assert "10 elements, 40 bytes" in output


@pytest.mark.parametrize(("shape", "layout"), [("()", "()"), ("0,3", "HW"), ("1,1", "HW")])
def test_small_and_empty_tensors_have_a_picture_or_none(run: Run, shape: str, layout: str) -> None:
    result = run("describe", shape, layout)
    assert result.exit_code == 0, result.stderr
    assert ("\nmemory, " in result.stdout) == (shape != "0,3")


def test_properties_are_said_in_words(run: Run) -> None:
    output = run("describe", "10,3,32,32", "NHWC", "--no-grid").stdout
    assert re.search(r"yes +packed, dense \(PyTorch\), channels_last *\n", output)
    assert "\nmemory, " not in output
    output = run("describe", "2,64,3,3", "NCHW4", "--no-grid").stdout
    assert re.search(
        r"n/a +dense \(PyTorch\), contiguous, channels_last, channels_last_3d *\n", output
    )


def test_the_sum_leads_to_the_offset(run: Run) -> None:
    output = run("offsets", "2,2,3", "DHW", "1,0,1").stdout
    assert re.search(r"\(1, 0, 1\) +7 +28 +1\*6 \+ 0\*3 \+ 1\*1", output)


@pytest.mark.parametrize("layout", ["NCHW4", "NHWC", "(576,9,3,-1)+2", "onednn:aBcd16b"])
def test_every_sum_adds_up(run: Run, layout: str) -> None:
    coordinates = ["0,0,0,0", "1,5,2,1", "1,63,2,2", "0,17,1,0"]
    said = json.loads(run("offsets", "2,64,3,3", layout, *coordinates, "--json").stdout)
    asked = tensor("2,64,3,3", layout, "float32").parse().layout
    for coordinate, offset in zip(coordinates, said["offsets"], strict=True):
        total = tables.sum_text(asked, [int(i) for i in coordinate.split(",")])
        terms = [term.split("*") for term in total.split(" + ")]
        assert sum(int(a) * int(b[0]) if b else int(a) for a, *b in terms) == offset


def test_a_swizzle_stands_around_the_sum() -> None:
    plain = tensor("4,8", "HW", "float32").parse().layout
    swizzled = dataclasses.replace(plain, swizzle=Swizzle(2, 0, 3))
    assert tables.sum_text(swizzled, (1, 2)) == "Swizzle<2,0,3>(1*8 + 2*1)"


def test_owners_are_listed(run: Run) -> None:
    output = run("offsets", "2,3", "(0,1)", "--owners", "1 9").stdout
    assert re.search(r"1 +shared +2 +\(0, 1\) +\(1, 1\)", output)
    assert re.search(r"9 +outside +0", output)


def test_a_slice_shows_shape_view_and_offsets(run: Run) -> None:
    output = run("slice", "4,4", "HW", "::2, 1::2").stdout
    assert re.search(r"shape +\(2, 2\)", output)
    assert re.search(r"view +\(8, 2\)\+1", output)
    assert re.search(r"\[\[ 1  3\]\s+\[ 9 11\]\]", output)


def test_a_slice_too_large_to_list_still_has_its_view(run: Run) -> None:
    output = run("slice", "1000000,1000000", "HW", "::2").stdout
    assert "500,000,000,000: too many to list" in output
    assert "(2000000, 1)" in output


def test_an_empty_slice_has_no_offsets(run: Run) -> None:
    output = run("slice", "0,4611686018427387904", "HW", ":").stdout
    assert re.search(r"offsets\s+none", output)


def test_what_a_text_names_is_listed(run: Run) -> None:
    output = run("read", "x.shape=(2, 3), x.strides=(8, 16)\ny.shape=(4,)").stdout
    assert re.search(r"shape +\(2, 3\)", output)
    assert "1 tensor" in output or "2 tensors" in output
    assert re.search(r"system +letters", run("read", "NCHW4").stdout)


def test_a_view_shows_each_step_and_why_one_needs_a_copy(run: Run) -> None:
    output = run("view", "2,3", "HW", "permute(1,0)", "narrow(0,1,2)").stdout
    assert re.search(r"narrow\(0,1,2\) +\S+ +\(2, 2\) +\(1, 3\) from 1", output)
    assert "properties" in output
    output = run("view", "2,3", "WH", "reshape=6").stdout
    assert "Step 1 (reshape) needs a copy: " in output


def test_an_elementwise_result_is_described(run: Run) -> None:
    output = run("elementwise", "1,2,3,4", "NHWC", "1,2,3,4", "NHWC").stdout
    assert re.search(r"yes +packed, .*channels_last", output)


def test_the_steps_of_a_schedule(run: Run) -> None:
    output = run("schedule", "1,3,1,2", "NCHW", "NCHW4", "--count", "99").stdout
    assert re.search(r"^\d+ steps, 6 elements, 24 bytes read, 32 written", output)
    assert re.search(r"\d+ +\S+ +\([\d, ]+\) +zeros +3 ", output)


def test_rows_of_any_number_are_drawn_in_little_memory() -> None:
    screen = Console(file=io.StringIO(), width=80)
    asked = tensor("1000000000,1000000", "HW", "float32").parse()
    lines = pictures(asked, screen, row_elems=None, rows=10**12, letters=False)
    list(islice(lines, 10))
    tracemalloc.start()
    list(islice(lines, 300))
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 4 << 20


def test_formats_are_listed_with_what_they_are(run: Run) -> None:
    output = run("formats").stdout
    assert re.search(r"letters +NCHW4 +NCHW +Blocks of 4 channels", output)


def test_colour_is_for_terminals_alone(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.delenv("NO_COLOR")
    assert "\x1b" not in run("describe", "2,3", "HW").stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" in run("describe", "2,3", "HW").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[38" not in run("describe", "2,3", "HW").stdout


def test_help_names_every_command(run: Run) -> None:
    output = run("--help").stdout
    for command in ("serve", "describe", "offsets", "slice", "reorder", "network", "formats"):
        assert command in output


@pytest.mark.parametrize(("layout", "in_blocks"), [("NCHW", False), ("NCHW4", True)])
def test_pytorch_has_no_answer_where_a_dimension_has_no_stride(
    run: Run, layout: str, *, in_blocks: bool
) -> None:
    said = run("describe", "2,6,3,3", layout).stdout
    asks_pytorch = r"n/a +dense \(PyTorch\), contiguous, channels_last, channels_last_3d"
    assert bool(re.search(asks_pytorch, said)) == in_blocks


@pytest.mark.parametrize("layout", ["(5, 1)", "HW4w"])
def test_gaps_are_not_called_padding(run: Run, layout: str) -> None:
    said = run("describe", "2,3", layout).stdout
    assert re.search(r"yes +.*padding or gaps", said)
    legend = said.partition("memory, ")[2]
    assert ("gap" in legend, "padding" in legend) == (layout == "(5, 1)", layout == "HW4w")


def test_the_cost_of_a_walk_and_of_a_warp(run: Run) -> None:
    walk = run("cost", "1,64,56,56", "NCHW", "--order", "NHWC", "--orders").stdout
    assert re.search(r"lines fetched +200,704", walk)
    assert re.search(r"NCHW +12,544 +196 +best", walk)
    assert re.search(r"page changes +\d", walk)
    assert "pages fetched" not in walk
    assert "Counted, not measured." in walk
    warp = run("cost", "32,32", "HW", "--warp", "H", "--shared", "--suggest").stdout
    assert re.search(r"conflicts, one warp +31", warp)
    assert re.search(r"conflicts, all 32 warps +992", warp)
    assert re.search(r"\(33, 1\) +H +32 +32 +0", warp)
    alone = run("cost", "64,64", "HW", "--cache", "1024,2").stdout
    assert re.search(r"lines fetched +256", alone)
    assert "best" not in alone
    sectors = run("cost", "64,64", "HW", "--warp", "H").stdout
    assert re.search(r"sectors, all 128 warps +4,096", sectors)


def test_what_a_text_left_unread_and_its_steps_are_said(run: Run) -> None:
    output = run("read", "x = torch.zeros(4,6)\nz = further(x)").stdout
    assert output.index("not read") < output.index("further(x)")
    output = run("read", "x[:, ::2].flatten()").stdout
    assert "index(index=:, ::2)" in output
    assert "line 1: flip copies in PyTorch" in run("read", "torch.zeros(2, 3).flip(1)").stdout
    either = run("read", "shape=(2, 3) strides=(24, 8)").stdout
    assert "numpy:(24, 8)" in either
    assert "if the strides count elements\n  line 1: (24, 8)\n" in either
    below = run("read", "shape=(2, 3) strides=(3, -1)").stdout
    assert re.search(r"offset +not said: \+2, the least that these strides need", below)
    assert "flatten(" in output
