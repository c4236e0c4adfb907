"""No pattern of the program takes time that grows exponentially with a text.

Such a one repeats a part that is a repeat itself and needs nothing else: ``(?:\\d{1,19},?){0,99}``
tries each way to cut a long number into parts before it gives up.
"""

import importlib
import pkgutil
import re
import re._constants as op  # type: ignore[import-not-found]  # the parsed form has no public name
import re._parser as parser  # type: ignore[import-not-found]  # the same
from collections.abc import Iterator
from typing import Any

import app

_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT)
_FEW = 8  # repetitions, whose combinations are no harm


def patterns() -> dict[str, re.Pattern[Any]]:
    """The compiled patterns of every module, by the module's name and their own."""
    found = {}
    for module in pkgutil.walk_packages(app.__path__, "app."):
        if module.name.endswith(("__main__", "sphinx")):  # which run, or need another package
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, re.Pattern):
                found[f"{module.name}.{name}"] = value
    return found


def _parts(parsed: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of a sequence, those of its groups in their place."""
    for kind, value in parsed:
        if kind is op.SUBPATTERN:
            yield from _parts(value[3])
        else:
            yield kind, value


def _may_be_empty(parts: list[tuple[Any, Any]]) -> bool:
    return all(
        (kind in _REPEATS and (value[0] == 0 or _may_be_empty([*_parts(value[2])])))
        or (kind is op.BRANCH and any(_may_be_empty([*_parts(way)]) for way in value[1]))
        for kind, value in parts
    )


def ambiguous(parsed: Any) -> Iterator[str]:
    """The repeats of which a text can be cut into parts in many ways."""
    for kind, value in _parts(parsed):
        if kind is op.BRANCH:
            for way in value[1]:
                yield from ambiguous(way)
        elif kind in (op.ASSERT, op.ASSERT_NOT):
            yield from ambiguous(value[1])
        elif kind in _REPEATS:
            yield from ambiguous(value[2])
            body = [*_parts(value[2])]
            ways = body[0][1][1] if len(body) == 1 and body[0][0] is op.BRANCH else [value[2]]
            for way in ways if value[1] > _FEW else ():
                parts = [*_parts(way)]
                for at, (inner, bounds) in enumerate(parts):
                    others = parts[:at] + parts[at + 1 :]
                    if (
                        inner in _REPEATS
                        and bounds[1] > max(bounds[0], 1)
                        and _may_be_empty(others)
                    ):
                        yield str(way)


def ambiguous_in(pattern: str, flags: int = 0) -> list[str]:
    """The parts of a pattern that a text can be cut into in many ways."""
    return [*ambiguous(parser.parse(pattern, flags))]


def test_no_repeat_can_be_cut_in_many_ways() -> None:
    wrong = {}
    for name, each in patterns().items():
        flags = each.flags & ~re.UNICODE if isinstance(each.pattern, bytes) else each.flags
        wrong[name] = ambiguous_in(each.pattern, flags)
    assert {name: found for name, found in wrong.items() if found} == {}
    assert len(wrong) > 200


def test_such_a_repeat_is_found_and_another_is_not() -> None:
    for text in (r"(?:\d{1,19},? ?){0,128}", r"(a+)+b", r"(?:\s*-?\d+\s*,?){1,10}"):
        assert ambiguous_in(text), text
    for text in (r"(?:\d{1,19}(?:,|(?=\)))){0,128}", r"\d+(?:,\d+)*", r"(?:ab+)*"):
        assert ambiguous_in(text) == [], text
