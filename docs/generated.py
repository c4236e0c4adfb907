"""Pages of the site that are made from the program: the gallery, the API, Python's names."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from itertools import groupby, product
from pathlib import Path

import app
from app.engine import LayoutError, parse_layout
from app.engine.notation import DIALECTS
from app.engine.notation.formats import FORMATS, NamedFormat
from app.main import create_app
from app.settings import Settings

SIZES = {"N": 1, "G": 2, "D": 2, "H": 3, "W": 4}
# Of O, and of what is left: the first that the format takes. Six fills no block, so padding shows.
OUTER, OTHER = (4, 1), (6, 4, 3, 32, 64, 1)


def write(folder: Path) -> None:
    """Write the pages."""
    folder.mkdir(exist_ok=True)
    for name, lines in (("gallery", gallery()), ("http", http()), ("python", python())):
        text = "\n".join(lines) + "\n"
        file = folder / f"{name}.md"
        # An unchanged page keeps its time, so that Sphinx does not read it again.
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def gallery() -> Iterator[str]:
    """Every named format: what it is, its picture, its live state."""
    titles = {dialect.system: dialect.title for dialect in DIALECTS}
    yield "# Gallery of formats\n"
    yield "Sizes are small. Where a format pads, blocks are not full: hatched cells are padding.\n"
    for system, rows in groupby(FORMATS, key=lambda each: each.system):
        yield f"## {titles[system]}\n"
        for each in rows:
            shape = ",".join(map(str, shape_of(each)))
            yield f"### `{each.name}`\n"
            yield f"{each.summary}\n"
            yield f"```{{stridescope}} {shape} {system}:{each.name}\n:dims: {each.dims}\n```\n"


def shape_of(each: NamedFormat) -> tuple[int, ...]:
    """The first sizes that a format takes. Errors: the last LayoutError."""
    refused = None
    for other, outer in product(OTHER, OUTER):
        sizes = {**SIZES, "O": outer}
        shape = tuple(sizes.get(letter, other) for letter in each.dims)
        try:
            parse_layout(f"{each.system}:{each.name}", shape, each.dims)
        except LayoutError as error:
            refused = error
        else:
            return shape
    assert refused is not None
    raise refused


def http() -> Iterator[str]:
    """Every call of the HTTP API, as its own document says it."""
    document = create_app(Settings()).openapi()
    yield "# The HTTP API\n"
    yield "A running service shows every field under `/docs`, and calls can be tried there.\n"
    for path, methods in document["paths"].items():
        for method, call in methods.items():
            yield f"## `{method.upper()} {path}`\n"
            yield f"{call['summary']}. {call.get('description', '')}\n"
            named = call.get("parameters", [])
            for each in named:
                yield f"- `{each['name']}`: {each.get('description', '')}"
            yield ""


def python() -> Iterator[str]:
    """Every public name of the package, with its docstring."""
    yield "# Python\n"
    yield "Every name comes from `import stridescope`; in a checkout also from `app`.\n"
    for name in sorted(app.__all__, key=str.lower):
        value = getattr(app, name)
        text = inspect.getdoc(value) if callable(value) else None
        yield f"## `{name}`\n"
        try:
            head = f"{name}{inspect.signature(value)}"
        except (TypeError, ValueError):
            head = name if callable(value) else f"{name} = {value!r}"
        yield f"~~~text\n{head[:2000]}\n~~~\n"
        if text:
            yield f"~~~text\n{text}\n~~~\n"
