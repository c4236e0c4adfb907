"""The documentation as a site: `make docs` writes it to build/docs, without a network."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import generated  # noqa: E402  # beside this file
from pygments.lexers.special import TextLexer  # noqa: E402  # after the path
from sphinx.application import Sphinx  # noqa: E402  # as above

project = "Stridescope"
author = "The authors of Stridescope"
extensions = ["myst_parser", "app.sphinx"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["requirements.txt"]
html_theme = "alabaster"
html_theme_options = {"description": "How a tensor lies in memory", "page_width": "70rem"}
html_static_path: list[str] = []
myst_heading_anchors = 3

generated.write(HERE / "generated")


def setup(application: Sphinx) -> None:
    """Show the source of Mermaid's drawings, which need its script, as plain text."""
    application.add_lexer("mermaid", TextLexer)
