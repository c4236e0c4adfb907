"""Errors have codes that stay when their words change, and one code means one sentence."""

import ast
import copy
import pickle
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import app
from app.engine import LayoutError
from app.engine.model.errors import PHRASES, Phrase, integer_range, one_of

ROOT = Path(app.__file__).parent
CODE = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")
# There pydantic's names of errors are the codes, and the rows of a table.
COMPUTED = {"contract/refusals.py", "engine/model/errors.py"}

# The functions that take a code: its place among their arguments, and what stands before it.
SAID = {
    "phrase": (0, ""),
    "CannotSayError": (0, "cannot."),
    "refusal": (-1, ""),
    "misfit": (1, ""),
    "misranked": (1, ""),
    "_error": (1, ""),
}
Call = tuple[str, ast.Call, dict[str, ast.expr]]


def called(call: ast.Call) -> str | None:
    return getattr(call.func, "id", getattr(call.func, "attr", None))


@cache
def read() -> tuple[dict[str, list[Call]], set[object]]:
    """What the program writes: the calls of ``Phrase`` and of ``SAID``, and its constants.

    Of a call: its module, and the last value before it of each name among its arguments.
    """
    found: dict[str, list[Call]] = {name: [] for name in ("Phrase", *SAID)}
    written: set[object] = set()
    for path in sorted(ROOT.rglob("*.py")):
        tree = ast.walk(ast.parse(path.read_text("utf-8")))
        nodes = [node for node in tree if isinstance(node, (ast.expr, ast.stmt))]
        written |= {node.value for node in nodes if isinstance(node, ast.Constant)}
        values: dict[str, ast.expr] = {}
        for node in sorted(nodes, key=lambda n: (n.lineno, n.col_offset)):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                values[node.targets[0].id] = node.value
            elif isinstance(node, ast.Call) and (name := called(node)) in found:
                names = {each.id for each in node.args if isinstance(each, ast.Name)}
                before = {each: values[each] for each in names & values.keys()}
                found[name].append((path.relative_to(ROOT).as_posix(), node, before))
    return found, written


def named_in(said: str) -> set[str]:
    return set(re.findall(r"\{(\w+)[:}]", said))


def test_each_code_has_one_template_that_takes_its_params() -> None:
    templates: dict[str, str] = {}
    for module, call, values in read()[0]["Phrase"]:
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
        if call.keywords:
            assert named_in(said) == {each.arg for each in call.keywords}, where
        assert PHRASES.get(str(code.value), said) == said, where
    assert len(templates) + len(PHRASES) > 600


@pytest.mark.parametrize("function", SAID)
def test_each_code_that_is_said_has_a_sentence_with_its_params(function: str) -> None:
    at, prefix = SAID[function]
    found = 0
    for module, call, _ in read()[0][function]:
        where = f"{module}:{call.lineno}"
        if isinstance(code := call.args[at], ast.Constant):
            said = PHRASES[prefix + str(code.value)]
            assert named_in(said) == {each.arg for each in call.keywords}, where
            found += 1
    assert found > 5


def test_each_sentence_is_said_under_a_code_that_is_written_once() -> None:
    _, written = read()
    assert written >= {code.removeprefix("cannot.") for code in PHRASES}
    for code, said in PHRASES.items():
        assert CODE.fullmatch(code), code
        assert said.endswith(".") or not code.startswith("cannot."), code


def test_a_phrase_is_its_text_with_code_and_params() -> None:
    found = integer_range(0, 5)
    assert found == "an integer from 0 to 5"
    assert (found.code, found.params) == ("integer.range", {"low": 0, "high": 5})
    names = one_of(["a", "b"])
    assert (names, names.params) == ("one of a, b", {"names": ("a", "b")})
    assert Phrase("braces", "Sizes {…}") == "Sizes {…}"


def sent(error: LayoutError) -> Any:
    return pickle.loads(pickle.dumps(error))  # noqa: S301  # its own bytes


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, sent])
def test_an_error_can_be_copied_and_sent_to_another_process(
    again: Callable[[LayoutError], LayoutError],
) -> None:
    error = LayoutError("size", "7", one_of(["5", "6"]), position=0, suggestion="5").within("a")
    found = again(error)
    assert (str(found), found.field, found.args) == (str(error), "a.size", error.args)
    assert (found.code, found.params) == ("one_of", {"names": ("5", "6")})
    assert (found.position, found.suggestion, found.description) == (0, "5", "text of 1 character")


def test_an_error_has_the_code_of_what_it_expected() -> None:
    error = LayoutError("size", 7, integer_range(0, 5), suggestion="5")
    assert (error.code, error.params) == ("integer.range", {"low": 0, "high": 5})
    for changed in (error.under("n"), error.within("a"), error.shifted(3), error.suggesting(None)):
        assert (changed.code, changed.params) == (error.code, error.params)
    assert str(error) == "size: got 7 (did you mean 5?); expected an integer from 0 to 5"
