"""``stridescope network``: examples and files, tables, JSON and diagrams."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.engine.network.examples import EXAMPLES
from tests.cli.conftest import Run
from tests.files.onnx.models import small


def test_json_is_the_api_s(run: Run, client: TestClient) -> None:
    graph = EXAMPLES["residual-block"].json
    propagated = client.post("/api/v1/propagate", json={"graph": graph, "rules": "pytorch-eager"})
    planned = client.post("/api/v1/plan", json={"graph": graph})
    rules = ("--rules", "pytorch-eager")
    assert json.loads(run("network", "residual-block", *rules, "--json").stdout) == (
        propagated.json()
    )
    assert json.loads(run("network", "residual-block", "--plan", "--json").stdout) == planned.json()
    both = json.loads(run("network", "residual-block", *rules, "--plan", "--json").stdout)
    assert both == {"propagate": propagated.json(), "plan": planned.json()}
    assert json.loads(run("network", "residual-block", "--json").stdout) == graph


def test_tables_of_rules_and_plan(run: Run) -> None:
    output = run("network", "inception-block", "--rules", "pytorch-eager", "--plan").stdout
    words = " ".join(output.split())
    assert "11 nodes, 13 tensors, 4 constants" in words
    assert "PyTorch 2.13" in words
    assert "least (proven) 0 0" in words
    assert "beam of 1024" in words
    assert "all NCHW 6,221,824 1" in words


def test_files_of_every_kind(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "small.onnx"
    file.write_bytes(small().SerializeToString())
    words = " ".join(run("network", str(file), "--size", "batch=2").stdout.split())
    assert "batch is taken as 2" in words
    assert "flat Reshape 2x512" in words
    graph = run("network", str(file), "--json").stdout
    again = tmp_path / "small.json"
    again.write_text(graph)
    assert run("network", str(again), "--json").stdout == graph
    assert "conv Conv 1x8x8x8" in " ".join(run("network", str(again)).stdout.split())


def test_a_mermaid_diagram(run: Run) -> None:
    arguments = ("network", "unet-skip", "--rules", "pytorch-eager", "--mermaid")
    lines = run(*arguments).stdout.splitlines()
    assert lines[0] == "flowchart TD"
    assert '  i0(["x"])' in lines
    assert '  i0 -->|"NCHW"| n0' in lines
    assert sum('["' in line for line in lines) == 17  # sixteen operators and an input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("resnet50",), "did you mean resnet-50?"),
        (("resnet-50", "--rules", "my-own"), "rules: "),
        (("resnet-50", "--option", "block=16"), "--option: "),
        (("resnet-50", "--size", "batch"), "--size: "),
        (("resnet-50", "--mermaid"), "--rules: "),
        (("nothing.onnx",), "nothing.onnx: No such file"),
        (("nothing.json",), "nothing.json: No such file"),
        (("nothing.pt2",), "pip install torch"),
    ],
)
def test_refusals(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run("network", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_broken_files_are_refused(run: Run, tmp_path: Path) -> None:
    for name, content in (
        ("empty.onnx", b""), ("cut.onnx", small().SerializeToString()[:-50]),
        ("a.json", b"{"), ("b.json", b"[" * 100_000), ("c.json", b'{"nodes": []}'),
    ):  # fmt: skip
        file = tmp_path / name
        file.write_bytes(content)
        result = run("network", str(file))
        assert result.exit_code == 2, name
        assert result.stderr.startswith("stridescope: ")
