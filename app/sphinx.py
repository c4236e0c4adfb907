"""The directive ``stridescope`` of Sphinx and MyST: a tensor and its memory in a page.

    extensions = ["stridescope.sphinx"]
    stridescope_url = "https://…"  # a service: HTML then has its live grids in a frame

    .. stridescope:: 1,6,4,5 NCHW4
       :at: 0,2,1,2

The options are those of ``stridescope picture``; the extra ``sphinx`` brings Sphinx. Without a
service HTML has the picture as SVG. LaTeX, which cannot read SVG, has it as TikZ: lines and text.
"""

import html
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from docutils import nodes
from docutils.parsers.rst import directives
from pydantic import ValidationError
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from .contract.pictures import OPTIONS, file_of, picture_of
from .contract.refusals import first_refusal
from .contract.requests import tensor_of_texts
from .engine.model.errors import LayoutError
from .picture.composed import Picture, about, composed
from .picture.tikz import tikz_picture

_TENSOR: Final = ("dtype", "dims", "elements")
_MARGIN: Final = 40  # pixels of a frame beyond its picture: the line below the grids
_BOX: Final = r"\begin{adjustbox}{max width=\linewidth,max totalheight=.9\textheight}"
_OWN: Final = "http://127.0.0.1:8000"  # where `stridescope serve` listens


class TensorPicture(nodes.General, nodes.Element):
    """A picture in a document, with ``picture`` and the ``query`` of its link."""


class StridescopeDirective(SphinxDirective):
    """``stridescope``: the shape, then the layout in any notation."""

    required_arguments = 2
    final_argument_whitespace = True
    option_spec = dict.fromkeys(
        (*_TENSOR, *OPTIONS), directives.unchanged_required
    )  # docutils' own way

    def run(self) -> list[nodes.Node]:
        """The picture, or what is wrong with it."""
        shape, layout = self.arguments
        given = {name: self.options[name] for name in _TENSOR if name in self.options}
        looks = {name: text for name, text in self.options.items() if name in OPTIONS}
        tensor = {"shape": shape, "layout": layout, **given}
        try:
            picture = picture_of(tensor_of_texts(tensor), looks)
        except ValidationError as error:
            raise self.error(str(first_refusal(error))) from None
        except LayoutError as error:
            raise self.error(str(error)) from None
        query = urlencode({"v": "1", **tensor, **looks}, safe=",:()")
        return [TensorPicture(picture=picture, query=query)]


def _file(translator: Any, picture: Picture) -> str:
    """The name of the picture's SVG below the pictures of the output, where it is written."""
    data = file_of(picture, "svg")
    name = f"stridescope-{sha256(data).hexdigest()[:16]}.svg"
    builder = translator.builder
    folder = Path(builder.outdir) / builder.imagedir
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    return name


def _html(self: Any, node: TensorPicture) -> None:
    picture, query = node["picture"], node["query"]
    url = self.config.stridescope_url.rstrip("/")
    scene, said = composed(picture), html.escape(about(picture))
    link = html.escape(f"{url or _OWN}/?{query}")
    if url:
        frame = html.escape(f"{url}/embed?{query}")
        size = f'width="100%" height="{scene.height + _MARGIN}" style="border:0" loading="lazy"'
        shown = f'<iframe src="{frame}" {size} title="{said}"></iframe>'
    else:
        source = f"{self.builder.imgpath}/{_file(self, picture)}"
        size = f'width="{scene.width}" height="{scene.height}" style="max-width:100%;height:auto"'
        shown = f'<img src="{source}" {size} loading="lazy" alt="{said}">'
    self.body.append(
        f'<p class="stridescope">{shown}<br><a href="{link}">Open in Stridescope</a></p>\n'
    )
    raise nodes.SkipNode


def _latex(self: Any, node: TensorPicture) -> None:
    drawn = tikz_picture(composed(node["picture"]))
    self.body.append(f"\n\n\\noindent{_BOX}\n{drawn}\\end{{adjustbox}}\n\n")
    raise nodes.SkipNode


def _text(self: Any, node: TensorPicture) -> None:
    self.new_state(0)
    self.add_text(file_of(node["picture"], "txt").decode())
    self.end_state(wrap=False)
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive to Sphinx."""
    app.add_config_value("stridescope_url", "", "html")
    app.add_node(TensorPicture, html=(_html, None), latex=(_latex, None), text=(_text, None))
    for package in ("tikz", "adjustbox"):
        app.add_latex_package(package)
    app.add_directive("stridescope", StridescopeDirective)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
