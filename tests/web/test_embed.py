"""What a link says of itself elsewhere: its frame, oEmbed, and the preview of a chat."""

from __future__ import annotations

import html
import re
from urllib.parse import urlencode

import httpx2
import pytest

LINK = {"v": "1", "shape": "1,6,4,5", "layout": "NCHW4", "at": "0,2,1,2", "tab": "code"}
HOSTILE = [
    '"><script>alert(1)</script>',
    "' onload='x",
    "</title><b>",
    "{{ 7 * 7 }}",
    "\u202e\ud800",
]


def test_the_frame_may_be_shown_by_anyone_and_only_it(client: httpx2.Client) -> None:
    framed = client.get("/embed", params=LINK)
    assert framed.status_code == 200
    assert "x-frame-options" not in framed.headers
    assert "frame-ancestors *" in framed.headers["content-security-policy"]
    assert "script-src 'nonce-" in framed.headers["content-security-policy"]
    assert framed.headers["cross-origin-resource-policy"] == "cross-origin"
    for path in ("/", "/reorder", "/network", "/docs", "/embedded", "/api/v1/formats"):
        other = client.get(path)
        assert other.headers["x-frame-options"] == "DENY", path
        assert "frame-ancestors 'none'" in other.headers["content-security-policy"], path


def test_the_frame_has_the_tensor_of_the_link(client: httpx2.Client) -> None:
    page = client.get("/embed", params={**LINK, "theme": "dark", "nonsense": "1"}).text
    [said] = re.findall(r"<memory-grid([^>]*)>", page)
    assert dict(re.findall(r' ([a-z]+)="([^"]*)"', said)) == {
        "shape": "1,6,4,5",
        "layout": "NCHW4",
        "at": "0,2,1,2",
        "theme": "dark",
    }
    assert '<a href="/?v=1&amp;shape=1%2C6%2C4%2C5' in page


def test_modules_of_the_frame_can_be_imported_elsewhere(client: httpx2.Client) -> None:
    module = client.get("/static/elements/embed/memory-grid.js")
    assert module.headers["access-control-allow-origin"] == "*"
    assert module.headers["cross-origin-resource-policy"] == "cross-origin"


def test_a_link_shows_its_picture_in_a_chat(client: httpx2.Client) -> None:
    page = client.get("/", params=LINK).text
    told = dict(re.findall(r'<meta property="(og:[a-z:]+)" content="([^"]*)">', page))
    assert told["og:title"] == "NCHW4 of 1 × 6 × 4 × 5"
    assert f"<title>{told['og:title']}: Stridescope</title>" in page
    picture = client.get(html.unescape(told["og:image"]))
    assert picture.headers["content-type"] == "image/png"
    assert client.get(html.unescape(told["og:url"])).status_code == 200
    assert "og:image" not in client.get("/").text
    assert "og:image" not in client.get("/", params=LINK, headers={"Host": "a b<"}).text


def test_the_frame_is_found_by_oembed(client: httpx2.Client) -> None:
    page = client.get("/", params=LINK).text
    [found] = re.findall(r'type="application/json\+oembed" href="([^"]*)"', page)
    told = client.get(html.unescape(found), params=None).json()
    assert (told["version"], told["type"], told["width"]) == ("1.0", "rich", 720)
    [source] = re.findall(r'<iframe src="([^"]*)"', told["html"])
    framed = client.get(html.unescape(source))
    assert 'shape="1,6,4,5"' in framed.text
    assert client.get(told["thumbnail_url"]).status_code == 200
    small = client.get(
        "/oembed", params={"url": told["provider_url"] + "/?" + urlencode(LINK), "maxwidth": "300"}
    )
    assert small.json()["width"] == 300


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({}, 404),
        ({"url": "https://example.org/?shape=1&layout=W"}, 404),
        ({"url": "http://testserver/network?shape=1&layout=W"}, 404),
        ({"url": "http://testserver/?tab=code"}, 404),
        ({"url": "http://testserver/?shape=1&layout=W", "format": "xml"}, 501),
    ],
)
def test_oembed_is_for_links_of_this_service(
    client: httpx2.Client, query: dict[str, str], status: int
) -> None:
    answer = client.get("/oembed", params=query)
    assert answer.status_code == status
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize("words", HOSTILE)
@pytest.mark.parametrize("name", ["shape", "layout", "at", "colour", "theme", "title"])
def test_a_hostile_link_is_no_markup(client: httpx2.Client, name: str, words: str) -> None:
    query = urlencode({**LINK, name: words}, errors="surrogatepass")
    plain = client.get("/embed", params=LINK).text
    for path in (f"/embed?{query}", f"/?{query}"):
        page = client.get(path).text
        assert "<" not in words or words not in page
    tags = re.findall(r"<[a-z/!-]+", client.get(f"/embed?{query}").text)
    assert tags == re.findall(r"<[a-z/!-]+", plain)
