"""GET /metrics for Prometheus: number of requests, their durations, resources of the process.

Labels are methods, route templates and statuses. Text from a caller never becomes a label.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import prometheus_client as prometheus
from fastapi import APIRouter
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.responses import Response
from starlette.types import Scope

from ..engine import KERNELS

# From a /describe in one millisecond to a reorder of the largest file.
_BUCKETS_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_NO_ROUTE = "none"
# Each by its name, which ends with _total if it only grows: what it says, and how much.
Figures = Mapping[str, tuple[str, float]]
_EXAMPLE = 'stridescope_requests_total{method="POST",route="/api/v1/offsets",status="200"} 7.0\n'

# The creation time of each series would double the text, and nothing uses it.
prometheus.disable_created_metrics()  # type: ignore[no-untyped-call]  # untyped in the library


def route_of(scope: Scope) -> str:
    """Return the path as the program declares it, or the prefix of a mount.

    The path below a mount is the caller's text. The router stores both in the scope.
    """
    if "route" in scope:
        return str(getattr(scope["route"], "path", _NO_ROUTE))
    mounted: str = scope.get("root_path", "").removeprefix(scope.get("app_root_path", ""))
    return mounted if "app_root_path" in scope and mounted else _NO_ROUTE


class _Figures(Collector):
    """Numbers that are read when they are asked for."""

    def __init__(self, read: Callable[[], Figures]) -> None:
        self._read = read

    def collect(self) -> Iterator[prometheus.Metric]:
        for name, (said, value) in self._read().items():
            grows = name.endswith("_total")
            family = CounterMetricFamily if grows else GaugeMetricFamily
            yield family(f"stridescope_{name}", said, value=value)


class Metrics:
    """The counters of one application; ``router`` serves them."""

    def __init__(self) -> None:
        self._registry = prometheus.CollectorRegistry()
        prometheus.ProcessCollector(registry=self._registry)
        said = "1 if the compiled kernels are loaded; NumPy does their work until then."
        self.show(
            lambda: {"kernels_ready": (said, all(each.ready() is not None for each in KERNELS))}
        )
        self._requests = prometheus.Counter(
            "stridescope_requests",
            "Requests answered, by method, route template and status.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = prometheus.Histogram(
            "stridescope_request_seconds",
            "Seconds from the first byte of a request to the last of its answer.",
            ("route", "status"),
            buckets=_BUCKETS_SECONDS,
            registry=self._registry,
        )

    def count(self, method: str, route: str, status: str, seconds: float) -> None:
        """Count one request. ``route``: of ``route_of``. ``status``: "none" if none was sent."""
        method = method if method in METHODS else "other"
        self._requests.labels(method, route, status).inc()
        self._seconds.labels(route, status).observe(seconds)

    def show(self, read: Callable[[], Figures]) -> None:
        """Show what ``read`` returns whenever the metrics are asked for."""
        self._registry.register(_Figures(read))

    @contextmanager
    def on_port(self, port: int | None, host: str) -> Iterator[None]:
        """Serve the metrics at a port of their own during the block; None: nowhere."""
        if port is None:
            yield
            return
        server, thread = prometheus.start_http_server(port, host, self._registry)
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def router(self, path: str) -> APIRouter:
        """Return the router with GET ``path``."""
        router = APIRouter(tags=["health"], default_response_class=Response)

        @router.get(
            path,
            summary="Metrics for Prometheus",
            operation_id="getMetrics",
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
                prometheus.generate_latest(self._registry),
                headers={"Cache-Control": "no-store"},
                media_type=prometheus.CONTENT_TYPE_PLAIN_0_0_4,
            )

        return router
