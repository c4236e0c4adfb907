"""GET /picture.svg and /picture.png: the file, its caching, and what is refused."""

import httpx2
import pytest

from app.contract.steps import parse_steps, viewed
from app.engine.description.tensor import parse_tensor
from app.engine.notation.slices import index_expression
from app.picture.cells import Look
from app.picture.composed import Picture, written
from tests.api.refusals.problems import assert_problem

TENSOR = {"shape": "2,6,3,3", "layout": "NCHW4"}


@pytest.mark.parametrize(("form", "media"), [("svg", "image/svg+xml"), ("png", "image/png")])
def test_a_picture_is_cacheable(client: httpx2.Client, form: str, media: str) -> None:
    path = f"/api/v1/picture.{form}"
    first = client.get(path, params=TENSOR)
    assert first.status_code == 200, first.text
    assert first.headers["content-type"].split(";")[0] == media
    assert first.headers["cross-origin-resource-policy"] == "cross-origin"
    assert first.headers["x-content-type-options"] == "nosniff"
    assert first.headers["content-security-policy"].startswith("default-src 'none'")
    assert first.content == written(Picture(parse_tensor((2, 6, 3, 3), "NCHW4")), form)
    known = {"If-None-Match": first.headers["etag"]}
    again = client.get(path, params=TENSOR, headers=known)
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"].removeprefix("W/") == first.headers["etag"].removeprefix("W/")
    head = client.head(path, params=TENSOR)
    assert (head.status_code, head.content) == (200, b"")
    other = client.get(path, params={**TENSOR, "theme": "dark"}, headers=known)
    assert other.status_code == 200


def test_each_option_changes_the_picture(client: httpx2.Client) -> None:
    options = {
        "view": "memory",
        "colour": "linear",
        "line": "128",
        "page": "8192",
        "text": "address",
        "values": ",".join(f"{n / 8}" for n in range(108)),
        "theme": "print",
        "row": "line",
        "steps": "flip(3)",
        "slice": "0, ::2",
        "at": "1,5,0,2",
        "b-layout": "NHWC",
        "title": "A title",
        "caption": "A caption",
    }
    for name, value in options.items():
        # A unit's size is that of its colour.
        unit = {"colour": f"@{name}"} if name in {"line", "page"} else {}
        plain = client.get("/api/v1/picture.svg", params=TENSOR | unit).content
        answer = client.get("/api/v1/picture.svg", params=TENSOR | unit | {name: value})
        assert answer.status_code == 200, answer.text
        assert answer.content != plain, name
        assert client.get("/api/v1/picture.svg", params=TENSOR | unit | {name: ""}).content == plain
    layout, other = (parse_tensor((2, 6, 3, 3), name) for name in ("NCHW4", "NHWC"))
    [view, other_view] = [
        viewed(one.layout, parse_steps([{"op": "flip", "dim": 3}])) for one in (layout, other)
    ]
    taken = index_expression(view, "0, ::2")
    expected = Picture(
        layout,
        "memory",
        Look("linear", "address", taken, None, 32, 128, 8192, tuple(n / 8 for n in range(108))),
        "print",
        "line",
        (1, 5, 0, 2),
        other,
        "A title",
        "A caption",
        shown=view,
        other_shown=other_view,
        steps="flip(3)",
    )
    every = client.get("/api/v1/picture.svg", params={**TENSOR, **options})
    assert every.content == written(expected, "svg")


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"view": "all"}, "view"),
        ({"colour": "<script>"}, "colour"),
        ({"values": "1,2"}, "values"),
        ({"values": ",".join(["1"] * 107 + ["x"])}, "values[107]"),
        ({"theme": "blue"}, "theme"),
        ({"row": "0"}, "row"),
        ({"page": "2097153"}, "page"),
        ({"row": "\u0663"}, "row"),
        ({"slice": "9"}, "slice"),
        ({"at": "1,5,0,3"}, "at"),
        ({"b-layout": "XX"}, "b-layout"),
        ({"steps": "select(0, 5)"}, "steps"),
        ({"steps": "T", "at": "1,5,0,2"}, "at"),
        ({"slice": "0,zz,0,0,0; 1,1,1,1; 1,1,1,1"}, "slice"),
        ({"title": "a" * 401}, "title"),
        ({"scale": "9"}, "scale"),
        ({"tytle": "a"}, "query"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    client: httpx2.Client, more: dict[str, str], field: str
) -> None:
    answer = client.get("/api/v1/picture.png", params={**TENSOR, **more})
    [error] = assert_problem(answer, 422, field)["errors"]
    assert "expected" in error["message"]
    assert "script" not in answer.text


def test_a_link_of_the_page_is_a_picture(client: httpx2.Client) -> None:
    link = {**TENSOR, "v": "1", "dtype": "int4"}  # without its windows
    assert client.get("/api/v1/picture.svg", params=link).status_code == 200
    # It says value also where a chat has none.
    tensor = {"shape": "2,3", "layout": "HW"}
    plain, valued = (
        client.get("/api/v1/picture.svg", params=tensor | more).content
        for more in ({}, {"colour": "value"})
    )
    assert plain == valued


def test_a_huge_tensor_is_drawn(client: httpx2.Client) -> None:
    for shape, layout in (("2147483648,2147483648", "HW"), ("4096,4096", "(1,1)"), ("0,3", "HW")):
        query = {"shape": shape, "layout": layout}
        answer = client.get("/api/v1/picture.png", params={**query, "scale": "4"})
        assert answer.status_code == 200, answer.text
