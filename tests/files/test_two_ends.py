"""A file is reordered alike over HTTP and in a terminal: the same bytes come out."""

from itertools import product
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from app.cli.commands import app
from tests.api.files.calls import blocked, npy_bytes, reordered, safe_bytes

SIZES = "2,6,3,5"
VALUES = np.arange(2 * 6 * 3 * 5).reshape(2, 6, 3, 5)
FILES: dict[str, tuple[bytes, dict[str, str]]] = {
    "npy": (npy_bytes(VALUES.astype(">i4")), {}),
    "fortran": (npy_bytes(np.asfortranarray(VALUES.astype(np.float16))), {}),
    "blocks": (npy_bytes(blocked(VALUES, 4)), {"source": "NCHW4"}),
    "cut blocks": (npy_bytes(blocked(VALUES, 4)), {"source": "NCHW4", "shape": SIZES}),
    "strides": (npy_bytes(np.arange(200.0)), {"source": "(90, 1, 6, 18)+2", "shape": SIZES}),
    "none": (npy_bytes(np.zeros((2, 0, 3, 5))), {}),
    "safetensors": (safe_bytes({"x": VALUES.astype(ml_dtypes.bfloat16)}, {"größe": '"'}), {}),
    "named": (safe_bytes({"x": VALUES.astype(np.int8)}), {"tensor": "x"}),
    "raw": (VALUES.astype(np.float32).tobytes(), {"dtype": "float32", "shape": SIZES}),
    "floats": (bytes(range(180)), {"dtype": "float8_e5m2", "shape": SIZES}),
    "nibbles": (bytes(range(90)), {"dtype": "int4", "shape": SIZES}),
}
TARGETS = ["NHWC", "NCHW4", "onednn:ABcd2a4b", "(120, 15, 5, 1)+2"]
TYPES = ["bool", "uint16", "complex64"]
CASES = [*product(FILES, TARGETS), *((name, "NCHW4") for name in TYPES)]
FILES |= {name: (npy_bytes(VALUES.astype(name)), {}) for name in TYPES}


@pytest.mark.parametrize(("name", "target"), CASES)
def test_both_ends_write_the_same_file(
    client: TestClient, tmp_path: Path, name: str, target: str
) -> None:
    body, asked = FILES[name]
    source, *options = asked.get("source", "NCHW"), *(["--raw"] if "dtype" in asked else [])
    made = reordered(client, body, **{"source": source, "target": target, **asked})
    (tmp_path / "in").write_bytes(body)
    options += [f"--{key}={value}" for key, value in asked.items() if key != "source"]
    files = str(tmp_path / "in"), str(tmp_path / "out")
    call = ["reorder", *files, f"--from={source}", f"--to={target}", *options]
    result = CliRunner().invoke(app, call)
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "out").read_bytes() == made
