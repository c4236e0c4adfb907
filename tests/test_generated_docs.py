"""The pages of docs/ that are written from the code are what it says, and examples parse."""

import ast
import inspect
import re
import subprocess
import sys

import pytest

from app.engine import parse_layout
from app.engine.notation import DIALECTS
from app.engine.notation.dialect import Dialect
from app.engine.notation.paste.reading import read_text
from tests.places import ROOT


@pytest.mark.parametrize("page", ["notations", "imports"])
def test_the_page_is_generated_from_the_code(page: str) -> None:
    done = subprocess.run(
        [sys.executable, f"docs/{page}.py", "--check"],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"run: PYTHONPATH=. python docs/{page}.py"


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: d.system)
def test_the_example_parses(dialect: Dialect) -> None:
    doc = inspect.getmodule(dialect.read).__doc__ or ""
    example = re.search(r"^Example: (.+?) with shape (\([^)]*\))", doc, re.MULTILINE | re.DOTALL)
    assert example, "Example: TEXT with shape (…)"
    shape = ast.literal_eval(example[2])
    layout = parse_layout(f"{dialect.system}:{' '.join(example[1].split())}", shape)
    assert layout.elements


def test_the_way_of_a_request_leads_to_what_it_names() -> None:
    page = (ROOT / "docs" / "a-request.md").read_text("utf-8")
    text = ""
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page):
        target = ROOT / "docs" / link
        assert target.is_file(), link
        text += target.read_text("utf-8")
    for name in re.findall(r"`(?:\w+\.)?([A-Za-z_]{4,})`", page):
        assert re.search(rf"\b{name}\b", text), name


PASTED = re.findall(
    r"^\*\*(?P<what>[^*]+)\*\*: (?P<said>.+)\n\n```text\n(?P<text>.+)\n```$",
    (ROOT / "docs" / "pasting.md").read_text("utf-8"),
    re.MULTILINE,
)


@pytest.mark.parametrize(("said", "text"), [row[1:] for row in PASTED], ids=[r[0] for r in PASTED])
def test_what_the_page_says_of_a_pasted_text(said: str, text: str) -> None:
    read = read_text(text)
    sizes = "×".join(map(str, read.shape or ()))
    layout = read.layout if read.layout != text else None
    assert re.findall(r"`([^`]+)`", said) == [one for one in (sizes, read.dtype, layout) if one]
