"""What a person reads: the numbers of the worked examples, in grids and tables."""

import dataclasses
import io
import json
import re
import shlex
import tracemalloc
from itertools import islice

import pytest
from rich.console import Console

from app.cli import tables
from app.cli.arguments import tensor
from app.cli.pictures import pictures
from app.engine.model.layout import Swizzle
from tests.cli.conftest import Run
from tests.cli.conftest import said as ended_well


def said(run: Run, typed: str) -> str:
    return ended_well(run(*shlex.split(typed)))


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
    ("typed", "rows"),
    [
        ("2x3 HW --letters", "A B C | D E F"),
        ("2x3 WH --letters", "A D | B E | C F"),
        ("2x3 (5,1) --letters", "A B C · · | D E F"),
        ("2x3 (0,1) --letters", "A+ B+ C+"),
        ("2x3 (-3,1)+3 --letters", "D E F | A B C"),
        ("2,3 HW --row 4", "0 1 2 3 | 4 5"),
        ("2,3 (5,1) --elements 10", "0 1 2 · · | 3 4 5 · ·"),
        ("1,6,1,2 NCHW4", "00 02 04 06 | 01 03 05 07 | 08 10 ░░ ░░ | 09 11 ░░ ░░"),
    ],
)
def test_the_memory_of_a_tensor(run: Run, typed: str, rows: str) -> None:
    assert memory_of(said(run, f"describe {typed}")) == [row.split() for row in rows.split(" | ")]


def test_figure_tensor_in_nchw4(run: Run) -> None:
    rows = memory_of(said(run, "describe 2,64,3,3 NCHW4"))
    assert rows[0] == ["0000", "0009", "0018", "0027"]
    assert rows[1] == ["0001", "0010", "0019", "0028"]
    assert rows[9] == ["0036", "0045", "0054", "0063"]


@pytest.mark.parametrize(
    ("typed", "pattern"),
    [
        ("describe 1,6,1,2 NCHW4", "░░ padding"),
        ("describe 2,3 (5,1) --elements 10", "10 elements, 40 bytes"),
        ("describe 10,3,32,32 NCHW --rows 8", "… 28 more rows"),
        ("describe 10,3,32,32 NCHW --rows 8", "… 2[47] more planes(.|\n)*… 952 more rows"),
        (
            "describe 10,3,32,32 NHWC --no-grid",
            r"yes +packed, dense \(PyTorch\), channels_last *\n",
        ),
        (
            "describe 2,64,3,3 NCHW4 --no-grid",
            r"n/a +dense \(PyTorch\), contiguous, channels_last, channels_last_3d *\n",
        ),
        ("offsets 2,2,3 DHW 1,0,1", r"\(1, 0, 1\) +7 +28 +1\*6 \+ 0\*3 \+ 1\*1"),
        ("offsets 2,3 (0,1) --owners 1", r"1 +shared +2 +\(0, 1\) +\(1, 1\)"),
        ("offsets 2,3 (0,1) --owners 9", "9 +outside +0"),
        ("slice 4,4 HW '::2, 1::2'", r"shape +\(2, 2\)(.|\n)*view +\(8, 2\)\+1"),
        ("slice 4,4 HW '::2, 1::2'", r"\[\[ 1  3\]\s+\[ 9 11\]\]"),
        ("slice 1000000,1000000 HW ::2", r"\(2000000, 1\)(.|\n)*500,000,000,000: too many to list"),
        ("slice 0,4611686018427387904 HW :", r"offsets\s+none"),
        ("read 'x.shape=(2, 3), x.strides=(8, 16)\ny.shape=(4,)'", r"shape +\(2, 3\)"),
        ("read NCHW4", "system +letters"),
        ("view 2,3 HW permute(1,0) narrow(0,1,2)", r"\(0,1,2\) +\S+ +\(2, 2\) +\(1, 3\) from 1"),
        ("view 2,3 HW permute(1,0)", "properties"),
        ("view 2,3 WH reshape=6", r"Step 1 \(reshape\) needs a copy: "),
        ("elementwise 1,2,3,4 NHWC 1,2,3,4 NHWC", "yes +packed, .*channels_last"),
        ("schedule 1,3,1,2 NCHW NCHW4", r"^\d+ steps, 6 elements, 24 bytes read, 32 written"),
        ("schedule 1,3,1,2 NCHW NCHW4 --count 99", r"\d+ +\S+ +\([\d, ]+\) +zeros +3 "),
        ("formats", "letters +NCHW4 +NCHW +Blocks of 4 channels"),
        ("cost 1,64,56,56 NCHW --order NHWC", r"lines fetched +200,704(.|\n)*page look-ups +\d"),
        ("cost 1,64,56,56 NCHW --orders", r"NCHW +12,544 +196 +best(.|\n)*Counted, not measured\."),
        (
            "cost 128,64,56,56 NHWC --orders --cache 32768,8",
            r"WNHC +>= 60,360 +401,408(.|\n)*CWNH +>= 34,898 (.|\n)*with >= were not counted",
        ),
        ("cost 32,32 HW --warp H --shared", r"one warp +31(.|\n)*conflicts, all 32 warps +992"),
        ("cost 32,32 HW --warp H --shared --suggest", r"\(33, 1\) +H +32 +32 +0"),
        ("cost 64,64 HW --cache 1024,2", "lines fetched +256"),
        ("cost 64,64 HW --warp H", "sectors, all 128 warps +4,096"),
        ("read 'x = torch.zeros(4,6)\nz = further(x)'", r"not read(.|\n)*further\(x\)"),
        ("read 'x[:, ::2].flatten()'", r"index\(index=:, ::2\)(.|\n)*flatten\("),
        ("read 'torch.zeros(2, 3).flip(1)'", "line 1: flip copies in PyTorch"),
        ("read 'shape=(2, 3) strides=(24, 8)'", r"numpy:\(24, 8\)"),
        (
            "read 'shape=(2, 3) strides=(24, 8)'",
            r"if the strides count elements\n  line 1: \(24, 8\)\n",
        ),
        ("read 'shape=(2, 3) strides=(3, -1)'", r"offset +not said: \+2, the least that these"),
    ],
)
def test_what_a_command_says(run: Run, typed: str, pattern: str) -> None:
    assert re.search(pattern, said(run, typed))


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("describe 10,3,32,32 NHWC --no-grid", "\nmemory, "),
        ("describe 0,3 HW", "\nmemory, "),
        ("describe 2,6,3,3 NCHW", "n/a"),
        ("cost 1,64,56,56 NCHW --order NHWC --orders", "pages fetched"),
        ("cost 64,64 HW --cache 1024,2", "best"),
    ],
)
def test_what_a_command_does_not_say(run: Run, typed: str, word: str) -> None:
    assert word not in said(run, typed)


@pytest.mark.parametrize("typed", ["describe () ()", "describe 1,1 HW"])
def test_one_element_has_a_picture(run: Run, typed: str) -> None:
    assert "\nmemory, " in said(run, typed)


def test_no_sign_needs_more_than_ascii() -> None:
    assert drawn("NCHW4", "1,6,1,2", encoding="ascii").count("##") == 5
    assert "0 1 2 . ." in drawn("(5,1)", "2,3", encoding="ascii")


def test_logical_planes_stand_side_by_side() -> None:
    output = drawn("NCHW", "1,2,2,2")
    assert re.search(r"n=0 c=0 +n=0 c=1\s+0 1 +4 5\s+2 3 +6 7", output)


@pytest.mark.parametrize("width", [20, 80])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC", "NCHW4"])
def test_no_line_is_wider_than_the_screen(layout: str, width: int) -> None:
    lines = drawn(layout, "1000,1000,1000,1000", width=width).splitlines()
    assert max(map(len, lines)) <= width
    assert sum(re.match(r"\s+\d+  \d", line) is not None for line in lines) == 16


@pytest.mark.parametrize("layout", ["NCHW4", "(576,9,3,-1)+2", "onednn:aBcd16b"])
def test_every_sum_adds_up(run: Run, layout: str) -> None:
    coordinates = ["0,0,0,0", "1,5,2,1", "1,63,2,2", "0,17,1,0"]
    found = json.loads(run("offsets", "2,64,3,3", layout, *coordinates, "--json").stdout)
    asked = tensor("2,64,3,3", layout, "float32").parse().layout
    for coordinate, offset in zip(coordinates, found["offsets"], strict=True):
        total = tables.sum_text(asked, [int(i) for i in coordinate.split(",")])
        terms = [term.split("*") for term in total.split(" + ")]
        assert sum(int(a) * int(b[0]) if b else int(a) for a, *b in terms) == offset


def test_a_swizzle_stands_around_the_sum() -> None:
    plain = tensor("4,8", "HW", "float32").parse().layout
    swizzled = dataclasses.replace(plain, swizzle=Swizzle(2, 0, 3))
    assert tables.sum_text(swizzled, (1, 2)) == "Swizzle<2,0,3>(1*8 + 2*1)"


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


def test_colour_is_for_terminals_alone(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.delenv("NO_COLOR")
    assert "\x1b" not in run("describe", "2,3", "HW").stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" in run("describe", "2,3", "HW").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[38" not in run("describe", "2,3", "HW").stdout


@pytest.mark.parametrize("layout", ["(5, 1)", "HW4w"])
def test_gaps_are_not_called_padding(run: Run, layout: str) -> None:
    output = run("describe", "2,3", layout).stdout
    assert re.search(r"yes +.*padding or gaps", output)
    legend = output.partition("memory, ")[2]
    assert ("gap" in legend, "padding" in legend) == (layout == "(5, 1)", layout == "HW4w")
