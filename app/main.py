"""Creates the application from its parts."""

import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .api.connections.guard import STATE, Guard, owns_process
from .api.connections.server import NO_LIFESPAN, guard_connections, has_no_lifespan
from .api.edge.compression import Compression
from .api.edge.outside import Outside, RequestLog
from .api.metrics import Metrics
from .api.openapi import schema_of
from .api.problems import HANDLED, problem, respond
from .api.routes import health, make_routers
from .api.work.resources import Resources
from .engine import KERNELS
from .engine.reorder.kernels.loading import loading_in_background
from .package import version
from .settings import Settings
from .web.assets import FILES
from .web.embed import router as embeds
from .web.headers import SecurityHeaders
from .web.pages import missing
from .web.pages import router as pages
from .web.reference import router as reference

_TURN_SECONDS: Final = 0.001  # of a thread, while the event loop waits to answer


class _Application(FastAPI):
    """Does not start, or answer, where a server would serve the world without deadlines."""

    def openapi(self) -> dict[str, Any]:
        """The document that /openapi.json serves, made once."""
        self.openapi_schema = self.openapi_schema or schema_of(self)
        return self.openapi_schema

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = guard_connections(receive) if scope["type"] == "lifespan" else None
        if self.state.resources.limits.allow_untested_server:
            await super().__call__(scope, receive, send)
        elif refusal is not None:
            await send({"type": "lifespan.startup.failed", "message": refusal})
        elif scope["type"] == "http" and has_no_lifespan(scope, receive):
            await problem(503, NO_LIFESPAN)(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


@asynccontextmanager
async def _serving(
    application: FastAPI, resources: Resources, metrics: Metrics, log: RequestLog, guard: Guard
) -> AsyncIterator[dict[str, Any]]:
    """Prepare the process when it starts to serve, not when this module is imported.

    Kernels are compiled, or read from disk, in the background, never inside a request. The OpenAPI
    document, which takes 0.3 s, is made there too.
    """
    log.replace_uvicorn()
    served = owns_process()

    def ready() -> None:
        if served:
            application.openapi()
            gc.freeze()

    if served:
        sys.setswitchinterval(_TURN_SECONDS)
        resources.warm()
        # What is there before the first request stays: the collector need not look at it again.
        gc.freeze()
    try:
        async with guard.watching():
            limits = resources.limits
            with (
                loading_in_background(*KERNELS, then=ready),
                metrics.on_port(limits.metrics_port, limits.metrics_host),
            ):
                yield {STATE: guard}
    finally:
        resources.close()


def _respond(request: Request, error: Exception) -> Response:
    """A page for a browser that finds none, else a problem."""
    absent = isinstance(error, HTTPException) and error.status_code == 404
    return (missing(request) if absent else None) or respond(request, error)


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the ASGI application with ``settings``, by default those of the environment."""
    limits = settings or Settings()
    resources = Resources(limits)
    metrics, log = Metrics(), RequestLog()
    guard = Guard(limits, resources.stop)
    application = _Application(
        title="Stridescope",
        version=version(),
        description="See how a tensor lies in memory: every element, address, stride and byte.",
        docs_url=None,
        redoc_url=None,
        lifespan=lambda served: _serving(served, resources, metrics, log, guard),
    )
    application.state.resources = resources
    for error in HANDLED:
        application.add_exception_handler(error, _respond)
    routers = [*make_routers(resources), health]
    if limits.metrics_path and limits.metrics_port is None:
        routers.append(metrics.router(limits.metrics_path))
    for router in (*routers, pages, embeds, reference):
        application.include_router(router)
    application.mount("/static", FILES, name="static")
    metrics.show(resources.figures)
    said = "Connections beyond the limit."
    metrics.show(lambda: {"connections_refused_total": (said, guard.refused)})
    # Outside the framework's own layers, because the outermost of them answers 500: that answer
    # is counted too.
    inside = Compression(application.build_middleware_stack())
    application.middleware_stack = SecurityHeaders(Outside(inside, metrics, log))
    return application


app = create_app()
