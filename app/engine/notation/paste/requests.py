"""Links of the explorer and calls of the API, as the page writes them: the tensor that they name.

    link = [ "http" … ] "?shape=" sizes "&layout=" text [ "&dtype=" type ] [ "&dims=" letters ] …
    body = "{" '"shape":' sizes "," '"layout":' ( text | object ) [ "," '"dtype":' type ] … "}"

Both mean float32 where they name no type, as the page and the API do.
"""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl

from ...model.dtypes import DEFAULT, parse_dtype
from ...model.errors import LayoutError, phrase, unreadable
from .. import read_layout
from ..dialects.strides import write_numbers
from ..grammar.cursor import Literal
from ..specs import Request
from .found import Item

_LINK = re.compile(
    r"(?:curl\s{1,9}')?(?:https?://[^\s'\"<>?]{1,200})?\?(?P<query>[^\s'\"<>?]{1,16000})'?"
)
_SIZES = re.compile(r"(?:torch\.Size)?[\s\d,x×*;()\[\]{}]{0,1000}", re.ASCII)
_SIZE = re.compile(r"\d{1,18}", re.ASCII)
_STEPS = re.compile(r"\s{0,9},\s{0,9}\"steps\"\s{0,9}:\s{0,9}\[\s{0,9}(?=\{)")


def find_links(text: str) -> Iterator[Item]:
    """The tensors of links with a shape and a layout. Errors: LayoutError with the position, if a
    link names steps or a slice: then it shows a view."""
    for found in _LINK.finditer(text):
        given = dict(parse_qsl(found["query"]))
        if not {"shape", "layout"} <= given.keys():
            continue
        at = found.start("query")
        if given.get("steps") or given.get("slice"):
            raise unreadable(text, at, phrase("paste.no_steps"))
        if not _SIZES.fullmatch(given["shape"]):
            raise unreadable(text, at, phrase("integers.list"))
        shape = tuple(map(int, _SIZE.findall(given["shape"])))
        yield _item(text, (found.start(), found.end()), shape, given["layout"], given)


def of_body(text: str, span: tuple[int, int], body: Mapping[str, Literal]) -> Item:
    """The tensor of a request's JSON, which has a shape and a layout. Errors: LayoutError with the
    position, also if steps follow."""
    if steps := _STEPS.match(text, span[1]):
        raise unreadable(text, steps.end(), phrase("paste.no_steps"))
    given = {k: v.value for k, v in body.items() if isinstance(v.value, str)}
    source = body["layout"].value
    if isinstance(source, Mapping) and "strides" in source:
        strides = source["strides"].integers(text)
        offset = source["offset"].integer(text) if "offset" in source else 0
        source = write_numbers(strides, offset)
    if not isinstance(source, str):
        raise unreadable(text, body["layout"].at, phrase("layout.source"))
    return _item(text, span, body["shape"].integers(text), source, given)


def _item(
    text: str, span: tuple[int, int], shape: tuple[int, ...], layout: str, given: Mapping[str, str]
) -> Item:
    """The tensor, or an item with the error of what does not fit."""
    dims = given.get("dims") or None
    try:
        dtype = parse_dtype(given.get("dtype") or DEFAULT.name)
        read_layout(layout, Request(shape, dims, dtype))
    except LayoutError as error:
        return Item(span[0], error=unreadable(text, span[0], error.expectation), spans=(span,))
    return Item(span[0], shape, dtype.name, layout, dims=dims, spans=(span,))
