"""Reorders as oneDNN's benchdnn takes them on its command line.

    reorder = "--reorder" {"--" option "=" value} sizes
    sizes   = "64x48x3x3"

Source: oneDNN tests/benchdnn/doc/driver_reorder.md. By default, a type is f32 and a tag nchw.
"""

import re
from collections.abc import Iterator

from ...model.dtypes import by_name_in
from ...model.errors import LayoutError, one_of, phrase, unreadable
from ..dialects import onednn
from .found import Item

_LINE = re.compile(r"--reorder(?!\S)(?:\\\n|[^\n])*")
_WORD = re.compile(
    r"--(?P<name>[a-zA-Z_-]{1,40})=(?P<value>\S*)|(?<!\S)(?P<sizes>\d{1,18}(?:x\d{1,18}){0,11})(?!\S)",
    re.ASCII,
)
_DEFAULTS = {"sdt": "f32", "ddt": "f32", "stag": "nchw", "dtag": "nchw"}


def find_reorders(text: str) -> Iterator[Item]:
    """The source and the target of each reorder. One that cannot be read has an error."""
    types = by_name_in("onednn")
    for line in _LINE.finditer(text):
        said = {name: (value, line.start()) for name, value in _DEFAULTS.items()}
        strides: int | None = None  # where they are given: they are not read
        for word in _WORD.finditer(text, *line.span()):
            if word["name"] in _DEFAULTS:
                said[word["name"]] = (word["value"], word.start())
            elif word["name"] == "strides" and word["value"].strip(":"):
                strides = word.start()
            if word["sizes"] is None:
                continue
            shape = tuple(map(int, word["sizes"].split("x")))
            spans = ((line.start(), word.end()),)
            for role in ("src", "dst"):
                (kind, kind_at), (tag, tag_at) = said[f"{role[0]}dt"], said[f"{role[0]}tag"]
                dtype, error = types.get(kind), None
                if strides is not None:
                    error = unreadable(text, strides, phrase("paste.tag"))
                elif dtype is None:
                    error = unreadable(text, kind_at, one_of(types))
                elif isinstance(onednn.DIALECT.attempt(tag), LayoutError):
                    error = unreadable(text, tag_at, phrase("paste.tag"))
                yield Item(
                    word.start() + (role == "dst"),
                    shape,
                    dtype.name if dtype else None,
                    f"onednn:{tag}",
                    role,
                    "reorder",
                    group=word.start(),
                    error=error,
                    system="onednn",
                    spans=spans,
                )
