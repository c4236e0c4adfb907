"""Whole buffers as oneDNN writes them, through the API: every golden row, byte for byte."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
from starlette.testclient import TestClient

from tests.places import golden_rows

Json = dict[str, Any]


def reordered(client: TestClient, shape: list[int], source: str, target: str, values: Any) -> Any:
    tensor = {"shape": shape, "layout": source}
    body = {"source": tensor, "target": target, "values": values}
    response = client.post("/api/v1/reorder", json=body)
    assert response.status_code == 200, response.text
    return response.json()["values"]


def digest(values: Any) -> str:
    return hashlib.sha256(np.array(values, dtype="<f4").tobytes()).hexdigest()


def test_every_golden_reorder_is_the_same_bytes(client: TestClient) -> None:
    wrong = []
    for row in golden_rows("onednn_reorders"):
        shape = row["shape"]
        plain = "onednn:" + "abcdefghijkl"[: len(shape)]
        numbers: Any = list(range(1, math.prod(shape) + 1))
        source = reordered(client, shape, plain, f"onednn:{row['source']}", numbers)
        target = reordered(
            client, shape, f"onednn:{row['source']}", f"onednn:{row['target']}", source
        )
        back = reordered(client, shape, f"onednn:{row['target']}", plain, target)
        got = (digest(source), digest(target), target[: len(row["head"])], back)
        if got != (row["source_sha256"], row["target_sha256"], row["head"], numbers):
            wrong.append(row)
    assert wrong == []


def test_every_golden_tag_through_the_api(client: TestClient) -> None:
    wrong = []
    for row in golden_rows("onednn_tags"):
        tensor = {"shape": row["shape"], "layout": row["tag"], "dtype": row["dtype"]}
        d = client.post("/api/v1/describe", json=tensor).json()
        asked = {"tensor": tensor, "coordinates": row["coordinates"]}
        offsets = client.post("/api/v1/offsets", json=asked).json()["offsets"]
        got = [
            d["notations"]["onednn"].get("text"),
            d["padded_shape"],
            d["blocking"]["outer_strides"],
            d["blocking"]["inner_blocks"],
            d["buffer"]["per_system"]["onednn"],
            offsets,
        ]
        names = ("primary", "padded_shape", "strides", "inner_blocks", "buffer_bytes", "offsets")
        if got != [row[name] for name in names]:
            wrong.append((row, got))
    assert wrong == []
