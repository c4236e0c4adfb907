"""Turns errors of a request's validation into errors of the engine."""

from typing import Any, Final

from pydantic import ValidationError

from ..engine.model.errors import PHRASES, Described, LayoutError, Phrase, phrase, shown_name
from ..engine.notation.view_steps import unknown_op
from ..nearest import nearest
from .fields import MOST_ERRORS, UnknownFields

# Pydantic's own names of errors that have a sentence here, which are its codes.
_KINDS: Final = frozenset(
    (
        *("missing", "int_type", "float_type", "bool_type", "literal_error", "list_type"),
        *("string_type", "model_type", "dict_type", "too_long", "too_short", "string_too_long"),
        *("greater_than_equal", "less_than_equal", "union_tag_not_found"),
    )
)


def refusals(error: ValidationError) -> tuple[list[LayoutError], int]:
    """Return the first MOST_ERRORS errors, and the number of the others."""
    found = error.errors(include_url=False)
    inputs = (e["input"] for e in found)
    total = len(found) + sum(i.fields - 1 for i in inputs if isinstance(i, UnknownFields))
    listed = [_refusal(e, e["loc"]) for e in found[:MOST_ERRORS]]
    return listed, total - len(listed)


def first_refusal(error: ValidationError, *parents: str) -> LayoutError:
    """Return the first error, with its field below ``parents``."""
    first = error.errors(include_url=False)[0]
    return _refusal(first, (*parents, *first["loc"]))


def refusal_text(error: LayoutError | ValidationError) -> str:
    """All that is wrong, in one line."""
    return str(error) if isinstance(error, LayoutError) else "; ".join(map(str, refusals(error)[0]))


def path_of(loc: tuple[int | str, ...]) -> str:
    """Return the path of a field: ``tensor.shape[1]`` for ``("tensor", "shape", 1)``."""
    path = ""
    for at, part in enumerate(loc):
        if at == 2 and loc[0] == "steps" and len(loc) > 3:
            continue  # the op, which pydantic inserts to identify the step's model; not a field
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            # Keys of a mapping are the caller's names: they are shown if they are short and plain.
            name = shown_name(part)
            path += f".{name}" if path else name
    return path or "body"


def _refusal(error: Any, loc: tuple[int | str, ...]) -> LayoutError:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        # The name is the caller's text, so it is not repeated: the known ones are.
        name = str(loc[-1])
        unknown: UnknownFields = error["input"]
        return LayoutError(
            path_of((*loc[:-1], "?")),
            Described("an unknown field"),
            phrase("field.unknown", known=unknown.known),
            suggestion=nearest(name, unknown.known),
        )
    if kind == "union_tag_invalid":
        return unknown_op(path_of(loc), str(context["tag"]))
    got = Described("nothing") if kind == "missing" else error["input"]
    if kind == "value_error":
        return LayoutError(path_of(loc), got, context["error"].args[0])
    expected = PHRASES[kind if kind in _KINDS else "value.documented"]
    params = {name: value for name, value in context.items() if f"{{{name}}}" in expected}
    return LayoutError(path_of(loc), got, Phrase(kind, expected, **params))
