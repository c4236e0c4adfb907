"""Whatever is typed, the answer is a table or a message: exit code 0 or 2, nothing else."""

import json

from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from app.cli.commands import app

HUGE = (2**31, 2**40, 2**62, 2**63 - 1, 2**63)
SIZES = st.one_of(st.integers(-1, 40), st.sampled_from(HUGE))
FORMATS = {
    0: ("()",),
    1: ("W", "onednn:a", "numpy:(8)"),
    2: ("HW", "WH", "onednn:ba", "(0,1)+7", "(-3,1)+900"),
    3: ("CHW", "WHC", "HWC16", "(1,1,1)", "(6,10,15)"),
    4: ("NCHW", "NHWC", "NCHW4", "CHWN4", "channels_last", "OIhw4i16o4i", "{4, 2, 2, 1}"),
    5: ("NCDHW32", "NDHWC", "channels_last_3d"),
}


def listed(rank: int) -> st.SearchStrategy[str]:
    """``rank`` sizes, or strides, separated by commas."""
    return st.lists(SIZES, min_size=rank, max_size=rank).map(
        lambda n: ",".join(map(str, n)) or "()"
    )


def fitting(rank: int) -> st.SearchStrategy[tuple[str, str]]:
    """A shape and a layout of one rank."""
    strides = listed(rank).map(lambda text: f"({text})" if rank else text)
    return st.tuples(listed(rank), st.one_of(st.sampled_from(FORMATS[rank]), strides))


TENSORS = st.one_of(
    st.integers(0, 5).flatmap(fitting), st.tuples(st.text(max_size=8), st.text(max_size=12))
)
COORDINATES = st.one_of(st.integers(0, 5).flatmap(listed), st.text(max_size=6))
INDICES = st.one_of(
    st.sampled_from(["0", "::-1", "..., 1:3", "None, ::2", ":, ::2", "5:1", "-1"]),
    st.text(alphabet="0123456789:,-. None", max_size=12),
)


def answered(*arguments: str) -> None:
    """Run a command whose answer must be whole JSON or one refusal."""
    # A leading -- keeps what is typed from being read as an option.
    command, *rest = arguments
    result = CliRunner().invoke(app, [command, "--json", "--", *rest])
    if result.exit_code == 0:
        assert isinstance(json.loads(result.stdout), dict)
    else:
        assert result.exit_code == 2, (arguments, result.exception)
        assert result.stderr.startswith("stridescope: "), result.stderr


@given(TENSORS)
@example(("0,4611686018427387904", "HW"))
@example(("1000,1000,1000,1000", "NHWC"))
def test_describe(tensor: tuple[str, str]) -> None:
    answered("describe", *tensor)
    result = CliRunner().invoke(app, ["describe", "--rows", "3", "--", *tensor])
    assert result.exit_code in {0, 2}, result.exception


@given(TENSORS, COORDINATES, INDICES)
@example(("0,4611686018427387904", "HW"), "0,0", ":")
def test_offsets_and_slice(tensor: tuple[str, str], coordinate: str, index: str) -> None:
    answered("offsets", *tensor, coordinate)
    answered("slice", *tensor, index)
