"""The public names: what they are, what loading them costs, and that their examples are true."""

import doctest
import json
import subprocess
import sys
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

import app
import stridescope
from app.engine import Layout, LayoutError
from tests.places import ROOT

DOCUMENTED = [name for name in app.__all__ if name != "KINDS"]  # a tuple has no docstring


def test_a_checkout_has_the_names_of_the_wheel() -> None:
    assert stridescope.__all__ == app.__all__
    assert stridescope.__version__ == app.__version__
    for name in app.__all__:
        assert getattr(stridescope, name) is getattr(app, name), name
    with pytest.raises(AttributeError, match="has no attribute 'ofsets'"):
        getattr(app, "ofsets")  # noqa: B009 - a type checker refuses the plain way


def test_a_description_is_json_as_the_service_answers_it(client: TestClient) -> None:
    asked = {"shape": [2, 6, 3, 3], "layout": "NCHW4", "dtype": "int4"}
    found = app.describe("NCHW4", (2, 6, 3, 3), dtype="int4")
    assert found.to_json().encode() == client.post("/api/v1/describe", json=asked).content
    swizzled = app.describe("Swizzle<2,0,3> o (8,8):(8,1)", (8, 8))
    assert json.loads(swizzled.to_json())["swizzle"] == {"bits": 2, "base": 0, "shift": 3}


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        ("import app; assert {*app.__all__} < {*dir(app)}", ("numpy", "app.engine")),
        ("import app.engine", ("fastapi", "pydantic", "typer", "numba", "ml_dtypes")),
        ("import app; app.describe", ("fastapi", "pydantic", "typer", "numba", "ml_dtypes")),
        ("import app; app.trace, app.load_run", ("torch",)),
    ],
)
def test_a_name_loads_no_more_than_it_needs(statement: str, unwanted: tuple[str, ...]) -> None:
    code = f"import sys; {statement}; print([m for m in {unwanted!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_example_is_true(name: str) -> None:
    tests = doctest.DocTestFinder().find(getattr(app, name), name, globs={})
    assert any(test.examples for test in tests), "an example in the docstring"
    runner = doctest.DocTestRunner(verbose=False)
    said: list[str] = []
    for test in tests:
        runner.run(test, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize(
    ("field", "call"),
    [
        ("dims", lambda: stridescope.parse_layout("NCHW", (1, 2, 3, 4), dims=3)),  # type: ignore[arg-type]  # on purpose
        ("index", lambda: stridescope.index_expression(Layout.strided((2,), (1,)), None)),  # type: ignore[arg-type]  # on purpose
        ("order", lambda: Layout.packed((2, 3), "AB", ((5, None), (1, None)))),
        ("order", lambda: Layout.packed((2, 3), "AB", 5)),  # type: ignore[arg-type]  # on purpose
    ],
)
def test_input_of_another_type_is_refused_by_its_field(
    field: str, call: Callable[[], object]
) -> None:
    with pytest.raises(LayoutError) as caught:
        call()
    assert caught.value.field == field
