"""Errors have codes that stay when their words change, and one code means one sentence."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import app
from app.engine import LayoutError
from app.engine.model.errors import UNSPECIFIED, Phrase, integer_range, one_of

ROOT = Path(app.__file__).parent
CODE = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")
# There pydantic's names of errors are the codes, and here what has none of its own gets one.
COMPUTED = {"contract/refusals.py", "engine/model/errors.py"}
RAISING = {"LayoutError": 2, "unreadable": 2}  # where their calls have what was expected
# How many errors of these folders have the code "unspecified" still. Only lower these numbers.
WITHOUT_CODES = {
    "api": 16,
    "cli": 31,
    "contract": 25,
    "engine/cost": 5,
    "engine/network": 162,
    "engine/notation": 120,
    "engine/reorder": 15,
    "files": 58,
}

Calls = Iterator[tuple[str, ast.Call, dict[str, ast.expr]]]


def calls(*names: str) -> Calls:
    """The calls of these functions: module, call, and the last value of each name before it."""
    for path in sorted(ROOT.rglob("*.py")):
        tree = ast.walk(ast.parse(path.read_text("utf-8")))
        nodes = [node for node in tree if isinstance(node, (ast.expr, ast.stmt))]
        values: dict[str, ast.expr] = {}
        for node in sorted(nodes, key=lambda n: (n.lineno, n.col_offset)):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                values[node.targets[0].id] = node.value
            elif isinstance(node, ast.Call) and getattr(node.func, "id", None) in names:
                yield path.relative_to(ROOT).as_posix(), node, values


def test_each_code_has_one_template_that_takes_its_params() -> None:
    templates: dict[str, str] = {}
    for module, call, values in calls("Phrase"):
        code, template = (
            values.get(each.id) if isinstance(each, ast.Name) else each for each in call.args
        )
        where = f"{module}:{call.lineno}"
        if not isinstance(code, ast.Constant) or not isinstance(template, ast.Constant):
            assert module in COMPUTED, where
            continue
        said = str(template.value)
        assert CODE.fullmatch(str(code.value)), where
        assert templates.setdefault(str(code.value), said) == said, where
        named = {name for _, name, _, _ in Formatter().parse(said) if name}
        assert not call.keywords or named == {each.arg for each in call.keywords}, where
    assert len(templates) > 60


def test_errors_of_other_folders_have_codes() -> None:
    found: Counter[str] = Counter()
    modules = set()
    for module, call, values in calls(*RAISING):
        expected = call.args[2]
        if isinstance(expected, ast.Name):
            expected = values.get(expected.id, expected)
        sides = (expected.body, expected.orelse) if isinstance(expected, ast.IfExp) else (expected,)
        if any(isinstance(side, (ast.Constant, ast.JoinedStr, ast.BinOp)) for side in sides):
            found["/".join(module.split("/")[: 2 if module.startswith("engine") else 1])] += 1
            modules.add(module)
    more = {folder: n for folder, n in found.items() if n > WITHOUT_CODES.get(folder, 0)}
    assert not more, (found, sorted(modules))


def test_a_phrase_is_its_text_with_code_and_params() -> None:
    found = integer_range(0, 5)
    assert found == "an integer from 0 to 5"
    assert (found.code, found.params) == ("integer.range", {"low": 0, "high": 5})
    names = one_of(["a", "b"])
    assert (names, names.params) == ("one of a, b", {"names": ("a", "b")})
    assert Phrase("braces", "Sizes {…}") == "Sizes {…}"


def test_an_error_has_the_code_of_what_it_expected() -> None:
    error = LayoutError("size", 7, integer_range(0, 5), suggestion="5")
    assert (error.code, error.params) == ("integer.range", {"low": 0, "high": 5})
    for changed in (error.under("n"), error.within("a"), error.shifted(3), error.suggesting(None)):
        assert (changed.code, changed.params) == (error.code, error.params)
    assert str(error) == "size: got 7 (did you mean 5?); expected an integer from 0 to 5"
    plain = LayoutError("size", 7, "another one")
    assert (plain.code, plain.params) == (UNSPECIFIED, {})
