"""``stridescope network``: examples and files, tables, JSON and diagrams."""

import json
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from starlette.testclient import TestClient

from app.cli import network_command
from app.engine.network.examples import EXAMPLES, find_example
from tests.cli.conftest import Run, refused
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
    assert (
        "2.09 MB read and written at each run: 2 reorders of 1.2 MB in all, 885 kB for weights"
        in words
    )
    assert "Hand conv3.weight over in channels_last. This saves 885 kB." in words
    assert "least (proven) 2,007,040 1 reorder of 2.01 MB" in words
    assert "beam of 1024" in words
    inside = "5.02 MB of activations reordered inside nodes (weights inside nodes are not counted)"
    assert f"all NCHW 6,221,824 1 reorder of 1.2 MB, {inside}" in words
    assert "pytorch-eager 2,088,960 2 reorders of 1.2 MB in all, 885 kB for weights" in words
    assert "is not compared" not in words


@pytest.mark.parametrize(
    ("name", "rules", "row", "edge"),
    [
        ("conv-norm-relu", "onnxruntime-cpu", "norm1 batch_norm fused The", '-->|"fused"| n2'),
        ("conv-norm-relu", "pytorch-eager", "norm1 batch_norm NHWC ", '-->|"NHWC"| n2'),
        ("inception-block", "pytorch-eager", "conv1 conv2d NHWC ", "(150528, 1, 5376, 192)+96"),
    ],
)
def test_layouts_are_named_as_on_the_page(
    run: Run, name: str, rules: str, row: str, edge: str
) -> None:
    asked = ("network", name, "--rules", rules)
    assert row in " ".join(run(*asked).stdout.split())
    assert edge in run(*asked, "--mermaid").stdout


def test_files_of_every_kind(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "small.onnx"
    file.write_bytes(small().SerializeToString())
    words = " ".join(run("network", str(file), "--size", "batch=2").stdout.split())
    assert "batch = 2" in words
    assert "assumed" not in words
    assert "flat Reshape 2x512" in words
    assumed = "batch = 1, assumed (--size batch=N)"
    assert assumed in run("network", str(file)).stdout
    rules = ("--rules", "onednn")
    for more in (("--json",), (*rules, "--svg"), (*rules, "--mermaid")):
        assert assumed in run("network", str(file), *more).stderr
    said = json.loads(run("network", str(file), *rules, "--json").stdout)
    assert said["assumed"] == {"batch": 1}
    graph = run("network", str(file), "--json").stdout
    again = tmp_path / "small.json"
    again.write_text(graph)
    assert run("network", str(again), "--json").stdout == graph
    assert "conv Conv 1x8x8x8" in " ".join(run("network", str(again)).stdout.split())


@pytest.mark.parametrize(("rules", "verified"), [("megengine", False), ("onednn", True)])
def test_rules_that_are_not_verified_say_so(run: Run, rules: str, *, verified: bool) -> None:
    arguments = ("network", "conv-norm-relu", "--rules", rules)
    assert ("Not verified" in run(*arguments).stdout) is not verified
    assert json.loads(run(*arguments, "--json").stdout)["verified"] is verified


def test_a_mermaid_diagram_of_reorders(run: Run) -> None:
    arguments = ("network", "residual-block", "--rules", "onednn", "--mermaid")
    lines = run(*arguments).stdout.splitlines()
    assert lines[0] == "flowchart TD"
    assert '  i0(["x"])' in lines
    copies = [at for at, line in enumerate(lines) if "nhwc to nChw16c<br/>" in line]
    assert copies
    for at in copies:
        place = lines[at].rpartition("| ")[2].partition("{")[0]
        assert lines[at].strip().startswith("i0 -->")
        assert lines[at + 1].startswith(f"  {place} --> n")


def test_a_graph_inside_an_answer_and_an_exported_program(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = find_example("residual-block")
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps({"graph": example.json, "unknown": []}))
    expected = json.loads(run("network", "residual-block", "--json").stdout)
    assert json.loads(run("network", str(answer), "--json").stdout) == expected
    monkeypatch.setattr(network_command, "read_exported", lambda _: example.graph)
    program = json.loads(run("network", "model.pt2", "--json").stdout)
    assert program == json.loads(json.dumps(example.graph.json))
    monkeypatch.setattr(network_command, "_MOST_JSON_BYTES", 9)
    message = refused(run("network", str(answer)))
    assert "source: " in message
    assert "at most 9 bytes" in message


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("resnet50", "did you mean resnet-50?"),
        ("resnet-50 --rules my-own", "rules: "),
        ("resnet-50 --option block=16", "--option: "),
        ("resnet-50 --size batch", "--size: "),
        ("resnet-50 --rules onednn --option isa", "--option: "),
        ("a.onnx --size n=1 --size n=2", "--size: got text of 3 characters"),
        ("resnet-50 --rules onednn --option isa=avx", "options.isa: "),
        ("resnet-50 --mermaid", "--rules: "),
        ("resnet-50 --svg", "--svg: "),
        ("resnet-50 --svg --plan --rules onednn", "--svg: "),
        ("nothing.onnx", "nothing.onnx: No such file"),
        (__file__, "stridescope: source: "),
        ("nothing.pt2", "pip install torch"),
    ],
)
def test_refusals(run: Run, typed: str, message: str) -> None:
    assert message in refused(run("network", *typed.split()))


_SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str, name: str = "") -> list[str]:
    """The texts of a drawing, of one class or of all. A file that is not XML fails here."""
    found = [
        str(each.text)
        for each in fromstring(svg).iter(f"{_SVG}text")
        if name in {"", each.get("class")}
    ]
    assert found
    return found


def test_a_drawing_has_layouts_reorders_losses_and_a_legend(run: Run) -> None:
    drawn = run("network", "unet-skip", "--rules", "pytorch-eager", "--svg").stdout
    labels = texts(drawn, "label")
    assert {"NCHW", "NHWC"} >= set(labels)
    assert "row-major" in texts(drawn, "legend")
    blocked = run("network", "unet", "--rules", "onnxruntime-cpu", "--svg").stdout
    assert {"NCHW16c → NCHW", "33.6 MB", "✕ loses NCHW16c"} <= set(texts(blocked))
    legend = {"channels in blocks", "reorder", "fused: not in memory"}
    assert legend | {"layout lost: read here, not passed on"} <= set(texts(blocked, "legend"))
    assert "prefers-color-scheme: dark" in blocked
    asked = ("--rules", "onnxruntime-cpu", "--option", "block=8", "--svg")
    assert "NCHW8c → NCHW" in texts(run("network", "unet", *asked).stdout)


def test_a_drawing_of_a_plan(run: Run) -> None:
    drawn = run("network", "residual-block", "--plan", "--svg").stdout
    assert "NHWC → NCHW" in texts(drawn)
    (said,) = texts(drawn, "said")
    assert said.startswith("The plan at the least cost (proven least): 1.61 MB read and written")
    assert "×3" in " ".join(texts(run("network", "resnet-50", "--plan", "--svg").stdout))


def test_a_drawing_of_hostile_names_is_well_formed(run: Run, tmp_path: Path) -> None:
    name = "</text><script>&\"'\u0000\u001b]\u202e\ufffe\ud83d\ude00"
    file = tmp_path / "<&>.json"
    node = {"op": "relu", "inputs": [name], "outputs": ["y"], "name": f"{name}!"}
    graph = {"inputs": {name: {"shape": [1, 3, 4, 4], "layout": "NCHW"}}, "nodes": [node]}
    file.write_text(json.dumps(graph))
    drawn = run("network", str(file), "--rules", "pytorch-eager", "--svg").stdout
    assert "<script" not in drawn
    assert "<&>.json" in texts(drawn, "heading")
    assert any(each.startswith("</text><script>&") for each in texts(drawn, "title"))
