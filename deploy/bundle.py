"""Bundle each page's modules and style sheets, so that it loads in a few requests.

    python deploy/bundle.py

Writes ``static/bundles``, which the wheel and the image take along with the other files. esbuild, a
development tool of package.json, joins and shortens the modules; what the first pages share is a
script of its own. ``index.json`` names each page's files and a hash of their sources: after any
change the program serves single modules again, until this is run anew.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from app.web.assets import BUNDLES, INDEX, module_paths, sources_digest  # noqa: E402  # from any folder
from app.web.pages import PAGES  # noqa: E402  # as above

STATIC = ROOT / "static"
FOLDER = STATIC / BUNDLES
ESBUILD = ROOT / "node_modules" / ".bin" / "esbuild"
# What these pages share is loaded once. With more of them it would be in many small scripts.
SHARING = ["network-page", "reorder-page", "stride-explorer"]
SCRIPTS = ("memory-grid",)  # each in one file, for notebooks
OPTIONS = ("--bundle", "--minify", "--legal-comments=none", "--log-level=warning")


def main() -> None:
    """Write the bundles of all pages."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    elements = {page.element for page in PAGES}
    pages = {element: module_paths(element) for element in sorted(elements)}
    outputs: dict[str, Any] = {}
    for group in (SHARING, *([element] for element in elements.difference(SHARING))):
        outputs |= _scripts([path for element in group for path in pages[element]["entry"]])
    index = {}
    for element, page in pages.items():
        sheet = "".join(f'@import "./{path}";' for path in page["styles"])
        _esbuild("--loader=css", f"--outfile={FOLDER / element}.css", text=sheet)
        script = f"{BUNDLES}/{element}.js"
        index[element] = {
            "styles": [f"{BUNDLES}/{element}.css"],
            "modules": sorted(_loaded(outputs, script)),
            "entry": [script],
        }
    for name in SCRIPTS:
        _esbuild(
            f"elements/embed/{name}.js",
            "--format=iife",
            "--target=es2022",
            "--define:import.meta.url=''",
            f"--outfile={FOLDER / name}.js",
        )
    text = json.dumps({"sources": sources_digest(), "pages": index}, indent=1)
    (FOLDER / INDEX).write_text(text, encoding="utf-8")


def _scripts(entries: list[str]) -> dict[str, Any]:
    """Join the modules of pages, what they share apart. Return what esbuild says of each script."""
    graph = FOLDER / "graph.json"
    _esbuild(
        *entries,
        "--format=esm",
        "--splitting",
        "--target=es2022",
        "--chunk-names=shared-[hash]",
        "--entry-names=[name]",
        f"--outdir={FOLDER}",
        f"--metafile={graph}",
    )
    outputs: dict[str, Any] = json.loads(graph.read_text())["outputs"]
    graph.unlink()
    return outputs


def _loaded(outputs: dict[str, Any], script: str) -> set[str]:
    """A script and all that it imports."""
    further = (_loaded(outputs, each["path"]) for each in outputs[script]["imports"])
    return {script}.union(*further)


def _esbuild(*arguments: str, text: str | None = None) -> None:
    subprocess.run(  # noqa: S603  # a tool of the checkout
        [ESBUILD, *OPTIONS, *arguments], cwd=STATIC, input=text, text=True, check=True
    )


if __name__ == "__main__":
    main()
