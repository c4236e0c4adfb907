"""The page's HTML, its static files and their headers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.engine.network import RULE_SETS
from app.engine.notation import DIALECTS
from app.main import create_app
from app.web.places import STATIC

PAGES = ("/", "/network", "/reorder")


@pytest.mark.parametrize("page", PAGES)
def test_the_page_names_files_that_exist(client: TestClient, page: str) -> None:
    html = client.get(page).text
    paths = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', html))
    assert len(paths) > 20
    for path in sorted(paths):
        assert client.get(path).status_code == 200, path


def test_every_module_is_preloaded(client: TestClient) -> None:
    modules = {
        path.relative_to(STATIC).as_posix()
        for path in STATIC.rglob("*.js")
        if path.name != "types.js"  # types alone: no module ever imports them
    }
    preloaded = {
        page: set(re.findall(r'<link rel="modulepreload" href="/static/([^"]+)"', html))
        for page, html in ((page, client.get(page).text) for page in PAGES)
    }
    assert modules == set().union(*preloaded.values())
    assert "elements/network-page.js" not in preloaded["/"]
    assert "elements/stride-explorer.js" not in preloaded["/network"]


def test_the_pages_lead_to_each_other(client: TestClient) -> None:
    assert '<a href="/network">' in client.get("/").text
    assert '<a href="/">' in client.get("/network").text
    for page in ("/", "/network"):
        assert '<a href="/reorder">' in client.get(page).text


def test_the_page_of_networks_knows_every_rule_set(client: TestClient) -> None:
    options = re.findall(r'<option value="([^"]+)" data-title="', client.get("/network").text)
    assert options == list(RULE_SETS)


def test_the_page_knows_the_bits_of_every_element_type(client: TestClient) -> None:
    html = client.get("/").text
    written = dict(re.findall(r'<option value="(\w+)" data-bits="(\d+)">', html))
    listed = client.get("/api/v1/formats").json()["dtypes"]
    assert written == {dtype["name"]: str(dtype["bits"]) for dtype in listed}


@pytest.mark.parametrize("page", PAGES)
def test_the_page_carries_no_inline_script_or_style(client: TestClient, page: str) -> None:
    html = client.get(page).text
    assert re.findall(r"<script(?![^>]*\bsrc=)", html) == []
    assert re.findall(r"<style|\bstyle=|\bon\w+=", html) == []
    assert re.findall(r'(?:href|src)="(?:https?:)?//', html) == []


def test_the_page_knows_every_dialect(client: TestClient) -> None:
    options = re.findall(
        r'<option value="(\w+)" label="([^"]+)" data-family="([^"]+)">', client.get("/").text
    )
    assert sorted(options) == sorted((d.system, d.title, d.family) for d in DIALECTS)


@pytest.mark.parametrize(
    "path", ["/", "/static/elements/stride-explorer.js", "/nowhere", "/healthz"]
)
def test_every_answer_is_guarded(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = dict(
        part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_a_failure_is_guarded_too() -> None:
    app = create_app()

    @app.get("/fails")
    def fails() -> None:
        raise RuntimeError

    with TestClient(app, raise_server_exceptions=False) as client:
        answer = client.get("/fails")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path", ["/static/css/2-base.css", "/static/", "/docs-assets/swagger-ui.css"]
)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_files_take_no_other_methods(client: TestClient, method: str, path: str) -> None:
    answer = client.request(method, path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "path", ["/", "/static/css/2-base.css", "/static/elements/stride-explorer.js"]
)
def test_a_kept_copy_is_asked_about_and_costs_a_304(client: TestClient, path: str) -> None:
    first = client.get(path)
    assert first.status_code == 200
    assert first.headers["cache-control"] == "no-cache"
    again = client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["etag"] == first.headers["etag"]


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/static/elements/stride-explorer.js", "text/javascript; charset=utf-8"),
        ("/static/css/2-base.css", "text/css; charset=utf-8"),
        ("/static/css/icon.svg", "image/svg+xml"),
    ],
)
def test_files_say_what_they_are(client: TestClient, path: str, content_type: str) -> None:
    answer = client.get(path)
    assert answer.headers["content-type"] == content_type
    assert client.head(path).headers["content-type"] == content_type


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app/main.py",
        "/static/%2e%2e/app/main.py",
        "/static/..%2fapp/main.py",
        "/static/",
        "/static/css",
    ],
)
def test_nothing_outside_the_static_files_is_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code in {404, 405}


def test_style_sheets_load_nothing_from_elsewhere() -> None:
    for path in Path(STATIC / "css").glob("*.css"):
        assert re.findall(r"@import|url\(", path.read_text(encoding="utf-8")) == [], path.name
