"""A file is reordered alike over HTTP and in a terminal: the same bytes come out."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from app.cli.commands import app
from tests.api.files.calls import npy_bytes, reordered, safe_bytes

VALUES = np.arange(2 * 6 * 3 * 5).reshape(2, 6, 3, 5)
FILES: dict[str, tuple[bytes, dict[str, str]]] = {
    "npy": (npy_bytes(VALUES.astype(">i4")), {}),
    "fortran": (npy_bytes(np.asfortranarray(VALUES.astype(np.float16))), {}),
    "safetensors": (safe_bytes({"x": VALUES.astype(ml_dtypes.bfloat16)}, {"größe": '"'}), {}),
    "named": (safe_bytes({"x": VALUES.astype(np.int8)}), {"tensor": "x"}),
    "raw": (VALUES.astype(np.float32).tobytes(), {"dtype": "float32", "shape": "2,6,3,5"}),
    "nibbles": (bytes(range(90)), {"dtype": "int4", "shape": "2,6,3,5"}),
}


@pytest.mark.parametrize("target", ["NHWC", "NCHW4", "onednn:ABcd2a4b", "(90, 15, 5, 1)+2"])
@pytest.mark.parametrize("name", FILES)
def test_both_ends_write_the_same_file(
    client: TestClient, tmp_path: Path, name: str, target: str
) -> None:
    body, asked = FILES[name]
    made = reordered(client, body, source="NCHW", target=target, **asked)
    (tmp_path / "in").write_bytes(body)
    files = str(tmp_path / "in"), str(tmp_path / "out")
    options = [part for key, value in asked.items() for part in (f"--{key}", value)]
    options += ["--raw"] if "dtype" in asked else []
    call = ["reorder", *files, "--from", "NCHW", f"--to={target}", *options]
    result = CliRunner().invoke(app, call)
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "out").read_bytes() == made
