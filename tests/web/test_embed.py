"""What a link says of itself elsewhere: its frame, oEmbed, and the preview of a chat."""

import html
import re
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest

LINK = {"v": "1", "shape": "1,6,4,5", "layout": "NCHW4", "at": "0,2,1,2", "tab": "code"}


def test_the_frame_may_be_shown_by_anyone_and_only_it_and_its_modules(
    client: httpx2.Client,
) -> None:
    framed = client.get("/embed", params=LINK)
    assert framed.status_code == 200
    assert "x-frame-options" not in framed.headers
    assert "frame-ancestors" not in framed.headers["content-security-policy"]
    assert "script-src 'nonce-" in framed.headers["content-security-policy"]
    module = client.get("/static/elements/embed/memory-grid.js")
    assert module.headers["access-control-allow-origin"] == "*"
    for each in (framed, module):
        assert each.headers["cross-origin-resource-policy"] == "cross-origin"
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


DRAWN = [
    ({}, {"tensor": None, "other": None, "slice": None}),
    ({"steps": "permute(0, 2, 3, 1)[0]"}, {"tensor": [4, 5, 6]}),
    ({"b-layout": "NHWC", "steps": "T"}, {"other": [5, 4, 6, 1], "tensor": [5, 4, 6, 1]}),
    ({"steps": "[0]", "slice": "::2, 1", "at": "0,1,2"}, {"slice": [3, 1, 5], "tensor": [6, 4, 5]}),
    ({"slice": "0,1,0,0; 1,4,4,5; 1,2,1,-1"}, {"slice": [1, 2, 4, 5]}),
    ({"shape": "1 x 6 x 4 x 5"}, {"tensor": None}),
    (
        {"shape": "4", "layout": "W", "values": "1, -2.5,nan,inf"},
        {"values": [1, -2.5, "NaN", "Infinity"]},
    ),
]


@pytest.mark.parametrize(("more", "expected"), DRAWN)
def test_an_element_elsewhere_gets_all_of_its_link(
    client: httpx2.Client, more: dict[str, str], expected: dict[str, Any]
) -> None:
    query = {name: LINK[name] for name in ("v", "shape", "layout", "tab")} | more
    answer = client.get("/embed.json", params=query)
    assert answer.headers["access-control-allow-origin"] == "*"
    drawn = answer.json()
    assert drawn["memory"]["shape"] == ([4] if "values" in more else [1, 6, 4, 5])
    found = {
        "tensor": drawn["tensor"] and drawn["tensor"]["shape"],
        "other": drawn["other"] and drawn["other"]["tensor"]["shape"],
        "slice": drawn["slice"] and [pick["count"] for pick in drawn["slice"]],
        "values": drawn["values"],
    }
    assert {name: found[name] for name in expected} == expected
    preview = html.unescape(client.get("/", params=query).text)
    [picture] = re.findall(r'og:image" content="([^"]*)"', preview)
    assert client.get(picture).status_code == 200, picture


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"strides": "1,x", "offset": "2"}, "strides"),
        ({"steps": "rotate(1)"}, "steps"),
        ({"b-layout": "(1)"}, "b-layout"),
        ({"at": "0,9,0,0"}, "at"),
        ({"title": "x" * 9000}, "title"),
        ({"values": "1,2"}, "values"),
        ({"colour": "Z"}, "colour"),
        ({"row": "0"}, "row"),
        ({"theme": "blue"}, "theme"),
    ],
)
def test_a_wrong_link_says_what_is_wrong(
    client: httpx2.Client, more: dict[str, str], field: str
) -> None:
    answer = client.get("/embed.json", params={**LINK, **more})
    assert answer.status_code == 422
    assert field in answer.json()["error"]


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
    assert told["height"] == 560
    [source] = re.findall(r'<iframe src="([^"]*)"', told["html"])
    framed = client.get(html.unescape(source))
    assert 'shape="1,6,4,5"' in framed.text
    assert client.get(told["thumbnail_url"]).status_code == 200
    link = f"{told['provider_url']}/?{urlencode(LINK)}"
    assert client.get("/oembed", params={"url": link, "maxwidth": "300"}).json()["width"] == 300


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({}, 404),
        ({"url": "https://example.org/?shape=1&layout=W"}, 404),
        ({"url": "http://testserver/network?shape=1&layout=W"}, 404),
        ({"url": "http://testserver/?shape=1&layout=W", "format": "xml"}, 501),
    ],
)
def test_oembed_is_for_links_of_this_service(
    client: httpx2.Client, query: dict[str, str], status: int
) -> None:
    answer = client.get("/oembed", params=query)
    assert answer.status_code == status
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize("name", ["shape", "layout", "at", "colour", "theme", "title"])
def test_a_hostile_link_is_no_markup(client: httpx2.Client, name: str) -> None:
    plain = re.findall(r"<[a-z/!-]+", client.get("/embed", params=LINK).text)
    for words in ('"><script>alert(1)</script>', "' onload='x", "</title><b>", "\u202e\ud800"):
        query = urlencode({**LINK, name: words}, errors="surrogatepass")
        framed, page = (client.get(f"{path}?{query}").text for path in ("/embed", "/"))
        assert "<" not in words or words not in framed + page
        assert re.findall(r"<[a-z/!-]+", framed) == plain
