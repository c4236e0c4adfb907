"""The page's HTML, its static files and their headers."""

import json
import os
import re
import shutil
from pathlib import Path

import httpx2
import pytest
from jinja2 import FileSystemLoader
from starlette.testclient import TestClient

from app.engine.network import RULE_SETS
from app.engine.notation import DIALECTS
from app.main import create_app
from app.web import assets, pages
from app.web.assets import Files
from app.web.templates import ENVIRONMENT, STATIC, TEMPLATES

PAGES = ("/", "/reorder", "/network", "/run", "/learn", "/help")
_EMBED = "/embed?shape=2,3&layout=HW"


@pytest.fixture(autouse=True)
def single_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a checkout serves them, also where ``make bundles`` was called."""
    monkeypatch.setattr(assets, "INDEX", "none.json")
    assets._bundles.cache_clear()
    pages._rendered.cache_clear()


def test_every_module_is_preloaded(client: TestClient) -> None:
    modules = {
        path.relative_to(STATIC).as_posix()
        for path in STATIC.rglob("*.js")
        if path.name != "types.js"  # types alone: no module ever imports them
        and path.parent.name != assets.BUNDLES
    }
    preloaded = {
        page: set(re.findall(r'<link rel="modulepreload"[^>]* href="/static/v-\w+/([^"]+)"', html))
        for page, html in ((page, client.get(page).text) for page in (*PAGES, _EMBED))
    }
    assert modules == set().union(*preloaded.values())
    assert "elements/network-page.js" not in preloaded["/"]
    assert "elements/stride-explorer.js" not in preloaded["/network"]


def test_the_pages_lead_to_each_other(client: TestClient) -> None:
    for page in PAGES:
        html = client.get(page).text
        assert re.findall(r'<a href="([^"]+)" data-page=', html) == [
            page.path for page in pages.PAGES
        ]
        assert re.findall(r'<a href="([^"]+)"[^>]* aria-current="page"', html) == [page]


def test_the_page_of_networks_knows_every_rule_set(client: TestClient) -> None:
    html = client.get("/network").text
    options = dict(re.findall(r'<option value="([^"]+)" data-title="[^"]*">(.*)</option>', html))
    assert options == {name: rules.label for name, rules in RULE_SETS.items()}
    assert html.count("Not verified: only read in") == 2


def test_the_page_knows_every_element_type_and_dialect(client: TestClient) -> None:
    html = client.get("/").text
    written = dict(re.findall(r'<option value="(\w+)" data-bits="(\d+)"', html))
    listed = client.get("/api/v1/formats").json()["dtypes"]
    assert written == {dtype["name"]: str(dtype["bits"]) for dtype in listed}
    named = re.findall(r'<option value="(\w+)" label="([^"]+)" data-family="([^"]+)">', html)
    assert sorted(named) == sorted((d.system, d.title, d.family) for d in DIALECTS)


@pytest.mark.parametrize("page", ["/", "/reorder"])
def test_the_page_answers_its_own_link(client: TestClient, page: str) -> None:
    link = {"shape": "2,6,3,3", "layout": "NCHW4", "dtype": "int8"}
    html = client.get(page, params={**link, "b-layout": "NHWC"}).text
    found = re.search(r'<script type="application/json" id="known"[^>]*>(.*)</script>', html)
    assert found is not None
    for known, layout in zip(json.loads(found[1]), ("NCHW4", "NHWC"), strict=True):
        assert known["asked"] == {**link, "layout": layout}
        assert known["answer"] == client.get("/api/v1/describe", params=known["asked"]).json()
    text = html[html.index("<noscript>") : html.index("</noscript>")]
    assert "144 addresses" in text
    assert "n=1 c=5" in text
    assert "░░░" in text


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("shape=2,x&layout=NHWC", "shape[1]: got text"),
        ("shape=2,3&layout=</script><b>", "layout: "),
        ("shape=2,3&layout=HW&elements=2", "elements: "),
        ("shape=" + "1," * 5000 + "1&layout=HW", ""),
        ("shape=9000000000,9000000000,90000&layout=CHW", "shape: "),
        ("shape=2,3&shape=4,5&layout=HW", ""),
    ],
)
def test_a_link_that_is_wrong_gives_a_page_with_its_error(
    client: TestClient, query: str, said: str
) -> None:
    answer = client.get("/?" + query)
    assert answer.status_code == 200
    html = answer.text
    assert "<b>" not in html
    assert said in html[html.index("<noscript>") :]


def test_a_browser_that_finds_no_page_gets_one(client: TestClient) -> None:
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    answer = client.get("/networks", headers=browser)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "style-src 'self'" in answer.headers["content-security-policy"]
    assert 'Did you mean <a href="/network">' in answer.text
    assert re.findall(r'<link rel="stylesheet"', answer.text)
    assert "Did you mean" not in client.get("/%3Cb%3Eanything else", headers=browser).text
    for path, headers in (
        ("/networks", {"Accept": "*/*"}),
        ("/api/v1/nothing", browser),
        ("/static/nothing.js", browser),
    ):
        refused = client.get(path, headers=headers)
        assert refused.status_code == 404
        assert refused.headers["content-type"] == "application/problem+json"
    assert client.post("/networks", headers=browser).status_code == 404
    assert client.get("/learn/nchw5", headers=browser).status_code == 404


def policy_of(answer: httpx2.Response) -> dict[str, str]:
    """The directives of the policy."""
    parts = answer.headers["content-security-policy"].split(";")
    return {name: value for name, _, value in (part.strip().partition(" ") for part in parts)}


@pytest.mark.parametrize(
    "path", ["/", "/static/elements/stride-explorer.js", "/nowhere", "/healthz", "/docs"]
)
def test_every_answer_is_guarded(client: TestClient, path: str) -> None:
    answer = client.get(path)
    policy = policy_of(answer)
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["base-uri"] == "'none'"
    assert "unsafe" not in policy.get("script-src", "")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("page", [*PAGES, "/docs"])
def test_a_page_runs_its_own_scripts_alone(client: TestClient, page: str) -> None:
    first, second = client.get(page), client.get(page)
    policy = policy_of(first)
    nonces = set(
        re.findall(r'<(?:script|link rel="modulepreload")[^>]* nonce="([^"]+)"', first.text)
    )
    assert len(nonces) == 1
    [nonce] = nonces
    assert policy["script-src"] == f"'nonce-{nonce}' 'strict-dynamic'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert nonce not in second.text
    assert nonce not in second.headers["content-security-policy"]
    assert not re.findall(r"<script(?![^>]*nonce=)", first.text)
    assert re.findall(r'<script(?![^>]*(?:\bsrc=|type="application/json"))', first.text) == []
    assert re.findall(r"<style(?! nonce=)|\bstyle=|\bon\w+=", first.text) == []
    assert re.findall(r'(?:href|src)="(?:https?:)?//', first.text) == []


@pytest.mark.parametrize("page", [*PAGES, "/docs"])
def test_what_a_page_names_exists_and_never_changes(client: TestClient, page: str) -> None:
    html = client.get(page).text
    paths = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', html))
    assert len(paths) > 20 or page == "/docs"
    for path in paths:
        assert re.match(r"/static/v-[0-9a-f]{16}/", path), path
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        other = re.sub(r"/v-[0-9a-f]{16}/", "/v-0123456789abcdef/", path)
        assert client.get(other).headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("coding", ["br", "gzip"])
def test_files_are_sent_small(client: TestClient, coding: str) -> None:
    path = "/static/elements/stride-explorer.js"
    plain = client.get(path, headers={"Accept-Encoding": "identity"})
    small = client.get(path, headers={"Accept-Encoding": coding})
    assert "content-encoding" not in plain.headers
    assert small.headers["content-encoding"] == coding
    assert small.content == plain.content
    assert int(small.headers["content-length"]) < int(plain.headers["content-length"]) * 0.6
    assert plain.headers["vary"] == small.headers["vary"] == "Accept-Encoding"
    assert plain.headers["etag"] != small.headers["etag"]


def test_files_that_change_change_the_version(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("export {};\n")
    before = Files(tmp_path, "/x").version
    assert Files(tmp_path, "/x").version == before
    (tmp_path / "a.js").write_text("export const a = 1;\n")
    assert Files(tmp_path, "/x").version != before


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


@pytest.mark.parametrize("path", ["/static/css/2-base.css", "/static/"])
def test_files_take_no_other_methods(client: TestClient, path: str) -> None:
    answer = client.post(path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["/", "/static/elements/stride-explorer.js"])
def test_a_kept_copy_is_asked_about_and_costs_a_304(client: TestClient, path: str) -> None:
    first = client.get(path)
    assert first.status_code == 200
    assert first.headers["cache-control"] == "no-cache"
    again = client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["etag"] == first.headers["etag"]
    if path == "/":  # a kept page keeps its policy
        assert "content-security-policy" not in again.headers


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
    head = client.head(path)
    assert head.headers["content-type"] == content_type
    told, said = (
        re.sub(r"nonce-[\w-]+", "nonce", each.headers["content-security-policy"])
        for each in (head, answer)
    )
    assert (told, head.content) == (said, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app/main.py",
        "/static/..%2fapp/main.py",
        "/static/",
        "/static/v-0123456789abcdef/../../app/main.py",
        "/static/v-0123456789abcdef",
        "/static/v-0123456789abcdef//etc/passwd",
        "/static/css/.hidden.css",
    ],
)
def test_nothing_outside_the_static_files_is_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code in {404, 405}


def test_a_changed_template_is_another_page(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(TEMPLATES, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(ENVIRONMENT, "loader", FileSystemLoader(tmp_path))
    before = client.get("/")
    assert client.get("/").headers["etag"] == before.headers["etag"]
    for name in ("page.html", "cost.html"):  # around the page's own, and inside
        changed = tmp_path / name
        changed.write_text(changed.read_text("utf-8") + f"<!-- {name} -->", "utf-8")
        os.utime(changed, (0, 0))
        after = client.get("/")
        assert f"<!-- {name} -->" in after.text
        assert after.headers["etag"] != before.headers["etag"]
