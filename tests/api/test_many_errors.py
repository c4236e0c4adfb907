"""However much is wrong with a request, its answer lists 20 errors and says how many more."""

import json
import tracemalloc
from collections.abc import Callable

import httpx2
import pytest
from pydantic import ValidationError

from app.contract.requests import ElementwiseRequest, OffsetsRequest, TensorJson, ViewRequest
from tests.api.refusals.problems import assert_problem

TENSOR = '{"shape": [2], "layout": "W"'


def keys(count: int) -> str:
    return "".join(f', "k{i:x}": 0' for i in range(count))


def describe(unknown: int) -> str:
    return f"{TENSOR}{keys(unknown)}}}"


def offsets(unknown: int) -> str:
    return f'{{"coordinates": [], "tensor": {describe(unknown)}}}'


def view(unknown: int) -> str:
    """In each of 64 steps as many, the rest in the tensor."""
    step = f'{{"op": "flip", "dim": 0{keys(unknown // 80)}}}'
    rest = unknown - 64 * (unknown // 80)
    return f'{{"tensor": {describe(rest)}, "steps": [{", ".join([step] * 64)}]}}'


CALLS = {"describe": (describe, ""), "offsets": (offsets, "tensor."), "view": (view, "tensor.")}


@pytest.mark.parametrize("unknown", [1, 20, 21, 200_000])
@pytest.mark.parametrize(("path", "call"), CALLS.items())
def test_unknown_fields_are_counted_and_20_are_listed(
    client: httpx2.Client, path: str, call: tuple[Callable[[int], str], str], unknown: int
) -> None:
    body, prefix = call
    fields = [f"{prefix}?"] * min(unknown, 20)  # an unknown name is not repeated
    response = client.post(
        f"/api/v1/{path}",
        content=body(unknown).encode(),
        headers={"content-type": "application/json"},
    )
    problem = assert_problem(response, 422, *fields)
    assert len(response.content) < 4200
    assert problem["detail"].startswith(f"{fields[0]}: got an unknown field")
    assert problem["detail"].endswith(f" (and {unknown - 20} more, not listed)") == (unknown > 20)


def test_what_is_wrong_with_known_fields_comes_before_unknown_ones(client: httpx2.Client) -> None:
    body = {f"k{i}": 0 for i in range(1000)} | {"shape": ["2"], "dtype": 7}
    fields = ["shape[0]", "layout", "dtype", *["?"] * 17]
    problem = assert_problem(client.post("/api/v1/describe", json=body), 422, *fields)
    assert problem["detail"].endswith("(and 983 more, not listed)")


def test_other_errors_end_after_20_too(client: httpx2.Client) -> None:
    body = {"operands": [{"shape": [1]}] * 64}
    fields = [f"operands[{i}].layout" for i in range(20)]
    problem = assert_problem(client.post("/api/v1/elementwise", json=body), 422, *fields)
    assert problem["detail"].endswith("(and 44 more, not listed)")


@pytest.mark.parametrize(
    ("model", "body"),
    [
        (TensorJson, describe(200_000)),
        (OffsetsRequest, offsets(200_000)),
        (ViewRequest, view(200_000)),
        (ElementwiseRequest, f'{{"operands": [{", ".join([describe(3000)] * 64)}]}}'),
    ],
)
def test_no_error_is_made_that_is_not_listed(model: type[TensorJson], body: str) -> None:
    """The memory of 200,000 errors would be over 100 MB."""
    value = json.loads(body)
    tracemalloc.start()
    with pytest.raises(ValidationError) as refused:
        model.model_validate(value)
    errors = refused.value.errors(include_url=False)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(errors) <= 65 * 30
    assert most_bytes < len(body)
