"""The OpenAPI document.

The program parses requests itself, so FastAPI does not know their models. They are added here, with
examples of two kinds.

``samples.json``: requests that are answered with 200, bodies and parameters by the path below
/api/v1. The first body is sent by pages, all stand at the request's model. Its files, in base64,
are six channels of 2 × 2 bytes as .npy, and the smallest ONNX model: y = Relu(x).

``meanings.json``: what a field means, by ``field`` or ``Model.field``, where no docstring says it.

``refused.json``: requests that fit the schema and get 422 all the same, because JSON Schema cannot
say these rules: what breaks each rule, in the right request of a call.
"""

import json
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, ValidationError
from pydantic.json_schema import models_json_schema

from ..contract.operations import LESSON_ANSWER, OPERATIONS
from ..engine.model.errors import LayoutError
from .problems import MEDIA_TYPE, Problem, error_response

_HERE: Final = Path(__file__)
_SAMPLES: Final = json.loads(_HERE.with_name("samples.json").read_bytes())
_MEANINGS: Final = json.loads(_HERE.with_name("meanings.json").read_bytes())
_REFUSED: Final = json.loads(_HERE.with_name("refused.json").read_bytes())
_OF_NO_TENSOR: Final = {"read", "run", "lessons/nchw4/answer"}
_ERRORS = re.compile(r"\s*Errors: [^.]*\.")
_TEMPLATE = "#/components/schemas/{model}"

_REFUSALS: Final = """

A browser logs every answer with a status of 400 or more as an error. With the header
`Prefer: refusal=answer` a refusal of input, 400 or 422, comes with status 200, the header
`Preference-Applied: refusal=answer` and the same problem, whose `status` is still 400 or 422."""


_CHECKED: Final = partial(LESSON_ANSWER.answer, lesson="nchw4")
# Of each call that can refuse a request, the model of that and its function.
_CALLS: Final[dict[str, tuple[type[BaseModel], Callable[[Any], Any]]]] = {
    **{each.name: (each.request, each.answer) for each in OPERATIONS},
    "lessons/nchw4/answer": (LESSON_ANSWER.request, _CHECKED),
}


def schema_of(app: FastAPI) -> dict[str, Any]:
    """The complete document of an application."""
    schema = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description + _REFUSALS,
        routes=app.routes,
    )
    _, models = models_json_schema(
        [*((call.request, "validation") for call in OPERATIONS), (Problem, "serialization")],
        ref_template=_TEMPLATE,
    )
    components = schema.setdefault("components", {}).setdefault("schemas", {})
    components.update(models["$defs"])
    for name in (*_CALLS, "reorder/file"):
        path = name.replace("nchw4", "{id}")
        for operation in schema["paths"][f"/api/v1/{path}"].values():
            operation["responses"]["422"]["content"][MEDIA_TYPE]["examples"] = examples(name)
    _add_meanings("", schema["paths"], components)
    _add_samples(schema["paths"], components)
    for name, component in components.items():
        _add_meanings(name, component, components)
        # Docstrings of the engine name Python exceptions, which callers over HTTP do not see.
        if said := component.get("description"):
            component["description"] = _ERRORS.sub("", said)
    return schema


def _add_meanings(model: str, schema: Any, models: dict[str, Any]) -> None:
    """Say what each field of an object means, at any depth, where that is not said."""
    if isinstance(schema, list):
        for each in schema:
            _add_meanings(model, each, models)
    elif isinstance(schema, dict):
        if schema.get("type") == "object":
            for field, each in schema.get("properties", {}).items():
                referred = models.get(each.get("$ref", "").rpartition("/")[2], {})
                said = each.get("description") or referred.get("description")
                meaning = _MEANINGS.get(f"{model}.{field}", _MEANINGS.get(field))
                if meaning and not said:
                    each["description"] = meaning
        for each in schema.values():
            _add_meanings(model, each, models)


def _add_samples(paths: dict[str, Any], models: dict[str, Any]) -> None:
    bodies = _SAMPLES["bodies"]
    for call in OPERATIONS:
        models[call.request.__name__]["examples"] = bodies[call.name]
    for path, item in paths.items():
        name = path.removeprefix("/api/v1/")
        for operation in item.values():
            content = operation.get("requestBody", {}).get("content", {})
            if name in bodies and "application/json" in content:
                content["application/json"]["example"] = bodies[name][0]
            elif name in _SAMPLES["files"]:
                media, body = _SAMPLES["files"][name]
                content[media]["x-example-base64"] = body
            values = _SAMPLES["parameters"].get(name, {})
            for parameter in operation.get("parameters", ()):
                if parameter["name"] in values:
                    parameter["example"] = values[parameter["name"]]


def rules_of(call: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """By name, the rules of a call alone: each in words, and a request that breaks it.

    Those of `describe` hold for a tensor, wherever one is given.
    """
    return {
        row["name"]: (row["rule"], {**_REFUSED["right"][call], **row["wrong"]})
        for row in _REFUSED["rules"]
        if call in row["calls"]
    }


@cache
def examples(name: str) -> dict[str, Any]:
    """The examples of 422 of a call, as OpenAPI lists them: the rule, the request, its problem.

    Those of its tensors are among them, unless ``name`` takes none.
    """
    found = {}
    for call in dict.fromkeys((name, name if name in _OF_NO_TENSOR else "describe")):
        for rule, (said, body) in rules_of(call).items():
            request = f"For POST /{call} with {json.dumps(body)}"
            found[rule] = {"summary": said, "description": request, "value": _problem(call, body)}
    return found


def _problem(call: str, body: dict[str, Any]) -> Any:
    request, answer = _CALLS[call]
    try:
        answer(request.model_validate(body))
    except (LayoutError, ValidationError) as error:
        return json.loads(bytes(error_response(error).body))
    raise AssertionError(body)
