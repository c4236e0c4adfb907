"""The OpenAPI document, and /docs.

The program parses requests itself, so FastAPI does not know their models. They are added here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, Protocol

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from ..contract.operations import OPERATIONS
from .problems import MEDIA_TYPE, Problem
from .refused import examples

_ERRORS = re.compile(r"\s*Errors: [^.]*\.")
DOCS_ASSETS: Final = "/docs-assets"
_TEMPLATE = "#/components/schemas/{model}"

_REFUSALS: Final = """

A browser logs every answer with a status of 400 or more as an error. With the header
`Prefer: refusal=answer` a refusal of input, 400 or 422, comes with status 200, the header
`Preference-Applied: refusal=answer` and the same problem, whose `status` is still 400 or 422."""

_DOCS = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stridescope API</title>
<link rel="icon" href="{assets}/favicon-32x32.png" type="image/png">
<link rel="stylesheet" href="{assets}/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script nonce="{nonce}" src="{assets}/swagger-ui-bundle.js"></script>
<script nonce="{nonce}" src="/docs-init.js"></script>
</body>
</html>
"""

# swagger-ui writes descriptions as HTML, which it has sanitised. This policy looks again.
_INIT = """if (window.trustedTypes) {
  const tags = /<\\s*(?:script|iframe|object|embed|base|meta|link|form)/i;
  const code = /\\son\\w+\\s*=|javascript:/i;
  window.trustedTypes.createPolicy("default", {
    createHTML: (text) => (tags.test(text) || code.test(text) ? null : text),
  });
}
SwaggerUIBundle({ url: "/openapi.json", dom_id: "#swagger-ui", validatorUrl: null });
"""


class Assets(Protocol):
    """The files of swagger-ui: an application to mount, and the path of its version."""

    @property
    def root(self) -> str: ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...


def install_docs(app: FastAPI, assets: Assets, nonce_of: Callable[[Scope], str]) -> None:
    """Serve /docs from an installed copy of swagger-ui, and the complete /openapi.json.

    ``nonce_of``: makes the nonce of a page's scripts, which its policy then names.
    """
    app.mount(DOCS_ASSETS, assets)

    @app.get("/docs", include_in_schema=False)
    @app.head("/docs", include_in_schema=False)
    async def docs(request: Request) -> HTMLResponse:
        html = _DOCS.replace("{assets}", assets.root).replace("{nonce}", nonce_of(request.scope))
        return HTMLResponse(html, headers={"Cache-Control": "no-cache"})

    @app.get("/docs-init.js", include_in_schema=False)
    @app.head("/docs-init.js", include_in_schema=False)
    async def init() -> Response:
        return Response(_INIT, media_type="text/javascript", headers={"Cache-Control": "no-cache"})

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
    for name in (*(call.name for call in OPERATIONS), "reorder/file"):
        for operation in schema["paths"][f"/api/v1/{name}"].values():
            operation["responses"]["422"]["content"][MEDIA_TYPE]["examples"] = examples(name)
    for component in components.values():
        # Docstrings of the engine name Python exceptions, which callers over HTTP do not see.
        if said := component.get("description"):
            component["description"] = _ERRORS.sub("", said)
    return schema
