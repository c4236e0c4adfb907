"""Creates the application from its parts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI

from .api.connections.guard import STATE, Guard
from .api.connections.pace import Limits
from .api.connections.server import adopt_connections
from .api.files.room import keep_chunks_in_the_heap
from .api.files.routes import make_file_router
from .api.head import HeadLimits
from .api.limits import make_limits_router
from .api.metrics import Metrics
from .api.networks import make_network_router
from .api.openapi import install_docs
from .api.problems import HANDLED, respond
from .api.routes import health, make_router
from .api.work.office import Office
from .engine import KERNELS
from .engine.kernels import loading_in_background
from .package import version
from .settings import Settings
from .web.assets import static_app
from .web.headers import SecurityHeaders
from .web.pages import router as pages


@asynccontextmanager
async def _serving(office: Office) -> AsyncIterator[dict[str, Any]]:
    """Prepare the process when it starts to serve, not when this module is imported.

    The tuning of memory affects the whole process. Kernels are compiled, or read from disk, in
    the background, never inside a request.
    """
    keep_chunks_in_the_heap()
    guard = Guard(Limits.of(office.limits))
    guard.on_stop.append(office.stop)
    if adopt_connections():
        office.warm()
    try:
        async with guard.watching():
            with loading_in_background(*KERNELS):
                yield {STATE: guard}
    finally:
        office.close()


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the ASGI application with ``settings``, by default those of the environment."""
    limits = settings or Settings()
    office = Office(limits)
    application = FastAPI(
        title="Stridescope",
        version=version(),
        description="See how a tensor lies in memory: every element, address, stride and byte.",
        docs_url=None,
        redoc_url=None,
        lifespan=lambda _: _serving(office),
    )
    metrics = Metrics()
    for error in HANDLED:
        application.add_exception_handler(error, respond)
    application.include_router(make_router(office))
    application.include_router(make_file_router(office))
    application.include_router(make_network_router(office))
    application.include_router(make_limits_router(limits))
    application.include_router(health)
    application.include_router(metrics.router())
    application.include_router(pages)
    application.mount("/static", static_app(), name="static")
    install_docs(application)
    # Outside the framework's own layers, because the outermost of them answers 500: that answer
    # is counted too.
    application.middleware_stack = SecurityHeaders(
        metrics.observe(HeadLimits(application.build_middleware_stack()))
    )
    return application


app = create_app()
