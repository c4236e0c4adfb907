"""The OpenAPI document.

The program parses requests itself, so FastAPI does not know their models. They are added here.
"""

import re
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from ..contract.operations import OPERATIONS
from .problems import MEDIA_TYPE, Problem
from .refused import examples
from .samples import add_samples

_ERRORS = re.compile(r"\s*Errors: [^.]*\.")
_TEMPLATE = "#/components/schemas/{model}"

_REFUSALS: Final = """

A browser logs every answer with a status of 400 or more as an error. With the header
`Prefer: refusal=answer` a refusal of input, 400 or 422, comes with status 200, the header
`Preference-Applied: refusal=answer` and the same problem, whose `status` is still 400 or 422."""


def install_openapi(app: FastAPI) -> None:
    """Serve the complete /openapi.json."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _schema(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI documents this override


def _schema(app: FastAPI) -> dict[str, Any]:
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
    for name in (*(call.name for call in OPERATIONS), "reorder/file", "lessons/nchw4/answer"):
        path = name.replace("nchw4", "{id}")
        for operation in schema["paths"][f"/api/v1/{path}"].values():
            operation["responses"]["422"]["content"][MEDIA_TYPE]["examples"] = examples(name)
    add_samples(schema["paths"], components)
    for component in components.values():
        # Docstrings of the engine name Python exceptions, which callers over HTTP do not see.
        if said := component.get("description"):
            component["description"] = _ERRORS.sub("", said)
    return schema
