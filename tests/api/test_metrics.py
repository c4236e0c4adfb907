"""GET /metrics counts what was answered, and nothing that a caller sends becomes a label."""

import asyncio
import sys
from collections.abc import Iterator

import httpx2
import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient
from starlette.types import Message, Receive

from app.api import metrics
from app.engine.reorder.kernels.loading import Kernels
from app.main import create_app

Labels = tuple[tuple[str, str], ...]


@pytest.fixture
def fresh() -> Iterator[TestClient]:
    """A program of its own, for counters that start at 0; it has one route that fails."""
    app = create_app()

    @app.get("/fails/{name}")
    def fails(name: str) -> None:
        raise RuntimeError(name)

    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def read(client: httpx2.Client) -> dict[str, Metric]:
    response = client.get("/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert response.headers["cache-control"] == "no-store"
    return {family.name: family for family in text_string_to_metric_families(response.text)}


def counted(families: dict[str, Metric], sample: str) -> dict[Labels, float]:
    """Values of one sample by its labels' values."""
    return {
        tuple(sorted(s.labels.items())): s.value
        for family in families.values()
        for s in family.samples
        if s.name == sample
    }


def labels(**values: str) -> Labels:
    return tuple(sorted(values.items()))


def test_requests_are_counted_by_method_template_and_status(fresh: TestClient) -> None:
    for method, path in [
        ("GET", "/api/v1/describe?shape=2,3&layout=HW"),
        ("GET", "/api/v1/describe?shape=2,4&layout=WH"),
        ("HEAD", "/api/v1/describe?shape=2,4&layout=WH"),
        ("POST", "/api/v1/describe"),
        ("DELETE", "/api/v1/describe"),
        ("GET", "/static/css/2-base.css"),
        ("GET", "/static/nothing.css"),
        ("GET", "/"),
        ("GET", "/fails/secret"),
    ]:
        fresh.request(method, path)
    found = counted(read(fresh), "stridescope_requests_total")
    describe = "/api/v1/describe"
    assert found == {
        labels(method="GET", route=describe, status="200"): 2,
        labels(method="HEAD", route=describe, status="200"): 1,
        labels(method="POST", route=describe, status="415"): 1,
        labels(method="DELETE", route=describe, status="405"): 1,
        labels(method="GET", route="/static", status="200"): 1,
        labels(method="GET", route="/static", status="404"): 1,
        labels(method="GET", route="/", status="200"): 1,
        labels(method="GET", route="/fails/{name}", status="500"): 1,
    }
    again = counted(read(fresh), "stridescope_requests_total")
    assert again[labels(method="GET", route="/metrics", status="200")] == 1


def test_seconds_fall_into_buckets(fresh: TestClient) -> None:
    for _ in range(3):
        fresh.get("/healthz")
    families = read(fresh)
    where = {"route": "/healthz", "status": "200"}
    seconds = counted(families, "stridescope_request_seconds_sum")[labels(**where)]
    assert 0 < seconds < 300
    assert counted(families, "stridescope_request_seconds_count")[labels(**where)] == 3
    buckets = counted(families, "stridescope_request_seconds_bucket")
    assert buckets[labels(**where, le="+Inf")] == 3
    assert buckets[labels(**where, le="30.0")] == 3
    assert buckets[labels(**where, le="0.001")] <= buckets[labels(**where, le="1.0")]
    assert counted(families, "process_resident_memory_bytes")[()] > 2**20


def test_it_says_whether_kernels_are_loaded(
    fresh: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = Kernels(lambda: sys)
    monkeypatch.setattr(metrics, "KERNELS", (kernels,))
    for load, ready in ((lambda: None, 0), (kernels.load, 1)):
        load()
        assert counted(read(fresh), "stridescope_kernels_ready")[()] == ready


def test_what_callers_send_makes_no_series(fresh: TestClient) -> None:
    read(fresh)

    def hostile(i: int) -> None:
        fresh.get(f"/nowhere/{i}")
        fresh.get(f"/static/{i}.js")
        fresh.get(f"/fails/{i}")
        fresh.get(f"/api/v1/describe?shape={i}&layout=W&{i}")
        fresh.request(f"BREW{i}", "/api/v1/offsets", headers={"x": str(i)})

    hostile(0)
    before = set(counted(read(fresh), "stridescope_requests_total"))
    for i in range(1, 20):
        hostile(i)
    after = set(counted(read(fresh), "stridescope_requests_total"))
    assert after == before
    assert labels(method="other", route="/api/v1/offsets", status="405") in after
    assert labels(method="GET", route="none", status="404") in after


def test_what_is_redirected_not_modified_or_not_allowed_is_counted_at_its_route(
    fresh: TestClient,
) -> None:
    for i in range(3):  # a path that is redirected is no label
        assert fresh.get(f"/fails/caller{i}/", follow_redirects=False).status_code == 307
    for path in ("/api/v1/describe?shape=2,3&layout=HW", "/static/css/2-base.css"):
        etag = fresh.get(path).headers["etag"]
        assert fresh.get(path, headers={"If-None-Match": etag}).status_code == 304
    fresh.post("/static/css/2-base.css")
    assert fresh.post("/metrics").headers["allow"] == "GET, HEAD"
    found = counted(read(fresh), "stridescope_requests_total")
    assert found == {
        labels(method="GET", route="none", status="307"): 3,
        labels(method="GET", route="/api/v1/describe", status="200"): 1,
        labels(method="GET", route="/api/v1/describe", status="304"): 1,
        labels(method="GET", route="/static", status="200"): 1,
        labels(method="GET", route="/static", status="304"): 1,
        labels(method="POST", route="/static", status="405"): 1,
        labels(method="POST", route="/metrics", status="405"): 1,
    }


def call(client: TestClient, method: str, path: str, query: bytes, receive: Receive) -> list[int]:
    """Statuses sent for a request that no client library would send."""
    statuses: list[int] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "query_string": query,
        "root_path": "",
        "headers": [(b"host", b"["), (b"\xff", b"\xff"), (b"content-type", b"application/json")],
        "server": ("127.0.0.1", 80),
    }

    async def ask() -> None:
        await client.app(scope, receive, send)

    asyncio.run(ask())
    return statuses


def test_a_query_that_is_no_text_is_counted(fresh: TestClient) -> None:
    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    assert call(fresh, "GET", "/nowhere", b"\xff\xfe", receive) == [404]
    assert call(fresh, "GET", "/healthz", b"\xff\xfe", receive) == [200]
    found = counted(read(fresh), "stridescope_requests_total")
    assert found == {
        labels(method="GET", route="none", status="404"): 1,
        labels(method="GET", route="/healthz", status="200"): 1,
    }


def test_a_call_that_is_cancelled_is_no_failure(fresh: TestClient) -> None:
    async def receive() -> Message:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        call(fresh, "POST", "/api/v1/offsets", b"", receive)
    found = counted(read(fresh), "stridescope_requests_total")
    assert found == {labels(method="POST", route="/api/v1/offsets", status="none"): 1}
