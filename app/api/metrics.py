"""GET /metrics for Prometheus: number of requests, their durations, resources of the process.

Labels are methods, route templates and statuses. Text from a caller never becomes a label.
"""

from __future__ import annotations

from time import perf_counter

from fastapi import APIRouter
from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..engine import KERNELS

# From a /describe in one millisecond to a reorder of the largest file.
_BUCKETS_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_NO_ROUTE = "none"
_EXAMPLE = 'stridescope_requests_total{method="POST",route="/api/v1/offsets",status="200"} 7.0\n'

# The creation time of each series would double the text, and nothing uses it.
disable_created_metrics()  # type: ignore[no-untyped-call]  # untyped in the library


def _template(scope: Scope) -> str:
    """Return the path as the program declares it, or the prefix of a mount.

    The path below a mount is the caller's text. The router stores both in the scope.
    """
    if "route" in scope:
        return str(getattr(scope["route"], "path", _NO_ROUTE))
    mounted: str = scope.get("root_path", "").removeprefix(scope.get("app_root_path", ""))
    return mounted if "app_root_path" in scope and mounted else _NO_ROUTE


class Metrics:
    """The counters of one application; ``router`` serves them."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        Gauge(
            "stridescope_kernels_ready",
            "1 if the compiled kernels are loaded; NumPy does their work until then.",
            registry=self._registry,
        ).set_function(lambda: all(each.ready() is not None for each in KERNELS))
        self._requests = Counter(
            "stridescope_requests",
            "Requests answered, by method, route template and status.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "stridescope_request_seconds",
            "Seconds from the first byte of a request to the last of its answer.",
            ("route", "status"),
            buckets=_BUCKETS_SECONDS,
            registry=self._registry,
        )

    def observe(self, app: ASGIApp) -> ASGIApp:
        """Return ``app`` with every request measured.

        It must be the outermost layer. Inside another one it would miss failures.
        """

        async def measured(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            status = "none"  # if the caller disconnects before the response starts

            async def send_noting(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = str(message["status"])
                await send(message)

            start = perf_counter()
            try:
                await app(scope, receive, send_noting)
            finally:
                self._count(scope, status, perf_counter() - start)

        return measured

    def _count(self, scope: Scope, status: str, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "other"
        route = _template(scope)
        self._requests.labels(method, route, status).inc()
        self._seconds.labels(route, status).observe(seconds)

    def router(self) -> APIRouter:
        """Return the router with GET /metrics."""
        router = APIRouter(tags=["health"])

        @router.get(
            "/metrics",
            summary="Metrics for Prometheus",
            operation_id="getMetrics",
            response_class=Response,
            responses={
                200: {
                    "description": "Prometheus text, version 0.0.4.",
                    "content": {"text/plain": {"schema": {"type": "string"}, "example": _EXAMPLE}},
                }
            },
        )
        def metrics() -> Response:
            """Requests by method, route template and status; a histogram of their durations; the
            memory, CPU time and open files of the process."""
            return Response(
                generate_latest(self._registry),
                headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4, "Cache-Control": "no-store"},
            )

        router.add_api_route("/metrics", metrics, methods=["HEAD"], include_in_schema=False)
        return router
