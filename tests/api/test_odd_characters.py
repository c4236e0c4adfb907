"""Control characters, blanks and digits of Unicode in every parameter of a query: never a 500."""

import pytest
from starlette.datastructures import QueryParams
from starlette.testclient import TestClient

from app.api.files.routes import NAMES as FILE_NAMES
from app.api.files.routes import file_query
from app.api.query import tensor_of_query
from tests.odd_characters import ODD, accepted

LAYOUT = {"shape": "2, 3", "layout": "HW", "dtype": "float32", "dims": "HW", "elements": "6"}
STRIDES = {"shape": "2, 3", "strides": "3, 1", "offset": "0"}
FILE = {
    "shape": "2, 3",
    "source": "HW",
    "target": "WH",
    "dtype": "float32",
    "dims": "HW",
    "tensor": "a1",
    "format": "raw",
}


@pytest.mark.parametrize(
    ("query", "name"), [(query, name) for query in (LAYOUT, STRIDES) for name in query]
)
def test_a_parameter_of_odd_characters_is_read_or_refused(query: dict[str, str], name: str) -> None:
    plain = tensor_of_query(QueryParams(query)).parse()
    fields = "shape layout dtype dims offset elements strides"
    for character, text, asked in accepted(
        lambda text: tensor_of_query(QueryParams({**query, name: text})).parse(),
        query[name],
        ODD,
        fields,
    ):
        assert character.isspace(), repr(text)
        assert asked.layout == plain.layout, repr(text)


@pytest.mark.parametrize(("name", "value"), FILE.items())
def test_a_file_query_of_odd_characters_is_read_or_refused(name: str, value: str) -> None:
    assert FILE.keys() == set(FILE_NAMES)
    plain = file_query(QueryParams(FILE))
    for character, text, asked in accepted(
        lambda text: file_query(QueryParams({**FILE, name: text})), value, ODD, name
    ):
        # Layouts, dims and the tensor's name are read later, when the file is there.
        if name in {"shape", "dtype", "format"}:
            assert character.isspace(), repr(text)
            assert asked == plain, repr(text)


@pytest.mark.parametrize(
    "character", ["%1c", "%1d", "%1e", "%1f", "%85", "%00", "%7f", "%E2%82%82"]
)
@pytest.mark.parametrize("name", ["shape", "elements", "layout", "dtype", "dims"])
def test_the_answer_is_never_500(client: TestClient, name: str, character: str) -> None:
    for value in (character + LAYOUT[name], LAYOUT[name] + character, character):
        rest = "&".join(f"{n}={v}" for n, v in LAYOUT.items() if n != name)
        response = client.get(f"/api/v1/describe?{rest}&{name}={value}")
        assert response.status_code in {200, 422}, response.text


@pytest.mark.parametrize("declared", [b"\xb2", b"1\xb2", b"\x1c2", b" 2", b"\xa02"])
def test_a_declared_length_of_odd_digits_is_no_number(client: TestClient, declared: bytes) -> None:
    """A server in front refuses it; nothing here may rely on that."""
    response = client.post(
        "/api/v1/describe",
        content=b'{"shape": [2, 3], "layout": "HW"}',
        headers=[(b"content-type", b"application/json"), (b"content-length", declared)],
    )
    assert response.status_code == 200, response.text
