"""The documentation in every form, and each example of the explorer as LaTeX that compiles."""

import json
import os
import re
import subprocess
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from app.contract.pictures import OPTIONS, file_of, picture_of
from app.contract.requests import TensorJson
from app.engine.notation.formats import FORMATS
from tests.places import ROOT

SPHINX = str(ROOT / ".venv-docs" / "bin" / "sphinx-build")
EXAMPLES = """
import { PRESETS, stateOf } from './static/state/presets.js';
import { pictureQuery } from './static/state/embed/taken.js';
const of = (preset) => [preset.title, pictureQuery(stateOf(preset), { theme: 'print' })];
console.log(JSON.stringify(PRESETS.map(of)));
"""
LIMIT_S = 120


def built(form: str, folder: Path, *more: str, source: Path = ROOT / "docs") -> Path:
    """The site, or another project, in a form; a warning fails."""
    command = [SPHINX, "-q", "-W", "-b", form, *more, str(source), str(folder)]
    subprocess.run(command, check=True, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)})
    return folder


def test_the_gallery_has_every_format(tmp_path: Path) -> None:
    page = (built("html", tmp_path) / "generated" / "gallery.html").read_text(encoding="utf-8")
    pictures = re.findall(r'<img src="([^"]+\.svg)"', page)
    assert len(pictures) == len(FORMATS)
    assert all((tmp_path / "generated" / name).resolve().is_file() for name in pictures)
    assert page.count("Open in Stridescope</a>") == len(FORMATS)


def test_with_a_service_pages_have_live_frames(tmp_path: Path) -> None:
    site = built("html", tmp_path, "-D", "stridescope_url=https://example.org/")
    page = (site / "model.html").read_text(encoding="utf-8")
    assert '<iframe src="https://example.org/embed?v=1&amp;shape=1,6,2,3&amp;layout=NCHW4' in page
    assert "<img" not in page


@pytest.mark.parametrize(
    ("form", "file", "has"),
    [
        ("latex", "stridescope.tex", r"\\begin{tikzpicture}"),
        ("text", "model.txt", r"\n4  04 05 06 07\n"),
    ],
)
def test_other_forms_have_the_pictures(tmp_path: Path, form: str, file: str, has: str) -> None:
    text = (built(form, tmp_path) / file).read_text(encoding="utf-8")
    assert re.search(has, text)


def test_a_pdf_has_the_pictures_as_lines_and_text(tmp_path: Path) -> None:
    pictures = ("2,6,4,5 NCHW4", "1,3,224,224 NHWC", "1,1,900,2 NHWC")
    text = "X\n=\n\n" + "".join(f".. stridescope:: {each}\n\n" for each in pictures)
    folder = built("latex", tmp_path / "out", source=source_of(tmp_path, text))
    compiled(folder, "x.tex")
    assert b"/Subtype /Image" not in (folder / "x.pdf").read_bytes()


def source_of(folder: Path, text: str) -> Path:
    """A project with one page."""
    source = folder / "source"
    source.mkdir()
    # TeX's own fonts: Sphinx's usual ones are packages of 100 MB.
    fonts = "latex_elements = {'fontpkg': '', 'fontenc': ''}"
    conf = f"project = 'x'\nextensions = ['app.sphinx']\n{fonts}\n"
    (source / "conf.py").write_text(conf, encoding="utf-8")
    (source / "index.rst").write_text(text, encoding="utf-8")
    return source


def compiled(folder: Path, name: str) -> None:
    """Run pdflatex; its errors fail."""
    command = ["pdflatex", "-interaction=batchmode", "-halt-on-error", name]
    done = subprocess.run(command, cwd=folder, check=False, timeout=LIMIT_S)
    assert done.returncode == 0, name


def test_a_wrong_layout_fails_the_build(tmp_path: Path) -> None:
    source = source_of(tmp_path, "X\n=\n\n.. stridescope:: 2,3 NOPE\n")
    done = subprocess.run(
        [SPHINX, "-q", "-W", "-b", "html", source, tmp_path / "out"],
        check=False,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode != 0
    assert "layout: got" in done.stderr


def _examples() -> list[tuple[str, str]]:
    command = ["node", "--input-type=module", "--eval", EXAMPLES]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    return [(title, query) for title, query in json.loads(done.stdout)]


def test_each_example_compiles_as_latex(tmp_path: Path) -> None:
    examples = _examples()
    assert len(examples) > 40
    for at, (_, query) in enumerate(examples):
        given = dict(parse_qsl(query))
        tensor = {"shape": [int(n) for n in given.pop("shape", "").split(",") if n]}
        options = {name: given.pop(name) for name in OPTIONS if name in given}
        elements = {"elements": int(given.pop("elements"))} if "elements" in given else {}
        asked = TensorJson.model_validate({**tensor, **given, **elements})
        (tmp_path / f"{at}.tex").write_bytes(file_of(picture_of(asked, options), "tex"))
        compiled(tmp_path, f"{at}.tex")
