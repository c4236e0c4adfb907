"""The OpenAPI document, and /docs.

The program parses requests itself, so FastAPI does not know their models. They are added here.
"""

from __future__ import annotations

import re
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

from ..contract.operations import OPERATIONS
from .problems import Problem

_ERRORS = re.compile(r"\s*Errors: [^.]*\.")
_TEMPLATE = "#/components/schemas/{model}"

_DOCS = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stridescope API</title>
<link rel="stylesheet" href="/docs-assets/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs-assets/swagger-ui-bundle.js"></script>
<script src="/docs-init.js"></script>
</body>
</html>
"""

_INIT = 'SwaggerUIBundle({ url: "/openapi.json", dom_id: "#swagger-ui", validatorUrl: null });\n'

# swagger-ui writes style attributes and draws its icons from data: URLs.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def install_docs(app: FastAPI) -> None:
    """Serve /docs from an installed copy of swagger-ui, and the complete /openapi.json."""
    app.mount("/docs-assets", StaticFiles(packages=[("fastapi_swagger", "resources")]))

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(_DOCS, headers={"Content-Security-Policy": _POLICY})

    @app.get("/docs-init.js", include_in_schema=False)
    async def init() -> Response:
        return Response(_INIT, media_type="text/javascript")

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _schema(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI documents this override


def _schema(app: FastAPI) -> dict[str, Any]:
    schema = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes
    )
    _, models = models_json_schema(
        [*((call.request, "validation") for call in OPERATIONS), (Problem, "serialization")],
        ref_template=_TEMPLATE,
    )
    components = schema.setdefault("components", {}).setdefault("schemas", {})
    components.update(models["$defs"])
    for component in components.values():
        # Docstrings of the engine name Python exceptions, which callers over HTTP do not see.
        if said := component.get("description"):
            component["description"] = _ERRORS.sub("", said)
    return schema
