"""``stridescope run``: its tables and its JSON."""

import json
from pathlib import Path

from starlette.testclient import TestClient
from typer.testing import CliRunner

from app.cli.commands import app
from tests.engine.runs.logs import HEADER, plain_conv

LOG = HEADER + (plain_conv(16, 32) + plain_conv(32, 48)) * 2 + "epoch 1\n"


def test_a_log_is_summarised(tmp_path: Path) -> None:
    file = tmp_path / "log.txt"
    file.write_text(LOG, "utf-8")
    said = CliRunner().invoke(app, ["run", str(file)])
    assert said.exit_code == 0
    for expected in (
        "16 events, 8 ms",
        "repeats 8 events 2 times",
        "round_trip (likely)",
        "epoch 1",
    ):
        assert expected in said.stdout


def test_the_json_is_the_apis(client: TestClient) -> None:
    said = CliRunner().invoke(app, ["run", "-", "--json"], input=LOG)
    assert json.loads(said.stdout) == client.post("/api/v1/run", json={"log": LOG}).json()
