"""Tracing where PyTorch is not installed: what needs it says so, the rest works."""

import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

import app
from app.cli.commands import app as commands
from app.engine.runs.traces import saved
from app.files.onnx import MissingLibraryError
from app.tracing.capture import _LINE, _write, why_not
from tests.engine.runs.logs import plain_conv
from tests.engine.runs.traced import CONVOLUTION, Program, tensor, weights


def test_a_clear_error_names_what_to_install() -> None:
    with pytest.raises(MissingLibraryError, match="pip install torch"), app.trace():
        raise AssertionError


def test_a_saved_run_is_shown_as_text_and_html(tmp_path: Path) -> None:
    inputs = [tensor(1), weights()]
    program = Program()
    for target in (2, 3):
        said = {"log": plain_conv(32, 32), "arguments": CONVOLUTION}
        program.add("convolution.default", inputs, tensor(target), **said)
    path = tmp_path / "run.json"
    path.write_text(saved(program.trace), "utf-8")
    run = app.load_run(path)
    assert run.graph()["nodes"][0]["op"] == "conv2d"
    assert "weights_each_call" in repr(run)
    assert "format_conflict" in repr(run)
    assert repr(run).splitlines()[0].endswith("; 2 findings")
    advice = "keep channels_last through block.conv (model.py:42)."
    assert repr(run).splitlines()[1] == run.columns.text
    assert run.columns.text.endswith(advice)
    assert all(len(repr(each)) < 200 for each in (*run.events, *run.copies))
    html = run._repr_mimebundle_()["text/html"]
    assert len(re.findall("<g><title>", html)) == 2
    assert advice in html
    copied = tmp_path / "again.json"
    run.save(copied)
    assert app.load_run(copied).events == run.events
    shown = CliRunner().invoke(commands, ["run", str(path)])
    assert "weights_each_call (certain)" in shown.stdout
    assert advice in " ".join(shown.stdout.split())


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ("run --torch script.py --json", "needs PyTorch|script.py"),
        ("run log.txt one", "--arguments"),
        ("run --save x log.txt", "--save"),
        ("run --json --torch script.py", "--json"),
    ],
)
def test_options_that_do_not_fit_are_refused(typed: str, field: str) -> None:
    done = CliRunner().invoke(commands, typed.split())
    assert done.exit_code != 0
    assert re.search(field, done.stderr)


@pytest.mark.parametrize(
    ("level", "taken"),
    [
        *((level, True) for level in ("", "0", "1", "2", "all", "error", "profile,dispatch")),
        *((level, False) for level in ("dispatch", "profile_create", "profile,filter=conv")),
    ],
)
def test_a_level_that_could_not_be_given_back_stays(
    level: str, *, taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkldnn = SimpleNamespace(is_available=lambda: True)
    torch = SimpleNamespace(backends=SimpleNamespace(mkldnn=mkldnn))
    for name in ("ONEDNN_VERBOSE", "DNNL_VERBOSE"):
        monkeypatch.delenv("ONEDNN_VERBOSE", raising=False)
        monkeypatch.setenv(name, level)
        assert (why_not(torch) == "") is taken
        assert taken or level in why_not(torch)


def test_what_others_print_is_kept_in_order() -> None:
    mixed = b"one\nonednn_verbose,v1,x\ntwo onednn_verbose,v1,y\nthree"
    assert _LINE.sub(b"", mixed) == b"one\ntwo three"
    read, write = os.pipe()
    _write(write, b"a" * 100)
    assert os.read(read, 200) == b"a" * 100
    os.close(read)
    os.close(write)
