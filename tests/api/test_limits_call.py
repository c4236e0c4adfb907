"""GET /limits says what the settings say, and what the server holds to."""

from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.api.refusals.problems import assert_problem


def test_it_gives_the_settings(client: TestClient) -> None:
    answer = client.get("/api/v1/limits")
    settings = Settings()
    found = answer.json()
    assert found["body_bytes"] == settings.max_body_bytes
    assert found["idle_seconds"] == settings.idle_seconds
    assert Settings.model_fields["idle_seconds"].default == 6
    assert found["values"] >= 2**20
    again = client.get("/api/v1/limits", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


def test_it_is_documented(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    shape = document["components"]["schemas"]["Limits"]
    assert set(shape["required"]) == client.get("/api/v1/limits").json().keys()
    assert all(each["description"] for each in shape["properties"].values())
    assert "/api/v1/limits" in document["paths"]


def test_a_limit_that_is_set_is_the_one_that_holds() -> None:
    application = create_app(Settings(max_body_bytes=1024))
    client = TestClient(application)
    assert client.get("/api/v1/limits").json()["body_bytes"] == 1024
    refused = client.post("/api/v1/describe", json={"shape": [1], "layout": " " * 2000})
    assert_problem(refused, 413, "body")
    assert "1024" in refused.text
