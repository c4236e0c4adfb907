"""The steps of a view in Python: the same as the API's, refused by the same words."""

from inspect import signature
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.contract.functions import view
from app.engine import LayoutError, parse_layout
from app.engine.notation.view_steps import OPS


@pytest.mark.parametrize("op", OPS)
def test_each_op_is_documented_with_its_parameters(client: TestClient, op: str) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    step = schemas[op.capitalize()]
    parameters = [
        name
        for name, given in list(signature(OPS[op]).parameters.items())[1:]
        if given.kind is not given.KEYWORD_ONLY
    ]
    assert list(step["properties"]) == ["op", *parameters]
    assert step["properties"]["op"]["const"] == op
    assert len(step["description"]) > 15
    assert "Error" not in step["description"]
    steps = schemas["ViewRequest"]["properties"]["steps"]["items"]
    assert {"$ref": f"#/components/schemas/{op.capitalize()}"} in steps["oneOf"]


PADDED = parse_layout("NCHW4", (2, 6, 3, 5))
REFUSED: list[tuple[Any, str]] = [
    ({"dim": 0}, "steps[1]: got an object of 1 entry; expected an object with an op"),
    ({"op": "permut"}, "steps[1]: got an unknown op (did you mean permute?); expected one of "),
    ({"op": "flip", "dims": 0}, "steps[1].dim: got nothing; expected a value"),
    ({"op": "flip", "dim": True}, "steps[1].dim: got a boolean; expected an integer"),
    ({"op": "flip", "dim": 0, "by": 2}, "steps[1].?: got an unknown field; expected only "),
    ({"op": "permute", "dims": [0, 1.5]}, "steps[1].dims[1]: got 1.5; expected an integer"),
    ({"op": "permute", "dims": "01"}, "steps[1].dims: got text of 2 characters; expected a list"),
    ({"op": "reshape", "shape": [2, 90]}, "steps[1]: got a step that needs a copy (C is padded"),
    ("flip", "steps[1]: got text of 4 characters"),
]


@pytest.mark.parametrize(("step", "message"), REFUSED, ids=[row[1] for row in REFUSED])
def test_what_is_refused_names_the_step(client: TestClient, step: Any, message: str) -> None:
    steps = [{"op": "flip", "dim": 0}, step]
    with pytest.raises(LayoutError) as refusal:
        view(PADDED, steps)
    assert str(refusal.value).startswith(message)
    tensor = {"shape": [2, 6, 3, 5], "layout": "NCHW4"}
    answer = client.post("/api/v1/view", json={"tensor": tensor, "steps": steps})
    if answer.status_code == 200:  # a copy is an answer there, with the same reason
        assert answer.json()["reason"].startswith("Step 2 (reshape) needs a copy: C is padded")
    else:
        assert answer.json()["detail"] == str(refusal.value)
