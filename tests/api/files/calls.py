"""Calls of POST /reorder/file and NumPy's own reorders of the same numbers."""

import io
from typing import Any

import httpx2
import ml_dtypes
import numpy as np
import numpy.typing as npt
from safetensors import deserialize
from safetensors.numpy import save

PATH = "/api/v1/reorder/file"
Array = npt.NDArray[Any]
_DTYPES = {
    "BF16": np.dtype(ml_dtypes.bfloat16),
    "F32": np.dtype(np.float32),
    "F64": np.dtype(np.float64),
}


def npy_bytes(values: Array) -> bytes:
    """The .npy file that NumPy writes."""
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def npy_values(content: bytes) -> Array:
    """What NumPy reads, all of it."""
    file = io.BytesIO(content)
    values: Array = np.load(file, allow_pickle=False)
    assert file.read() == b""
    return values


def safe_bytes(tensors: dict[str, Array], metadata: dict[str, str] | None = None) -> bytes:
    """The safetensors file that the reference writes; bfloat16 as ml_dtypes has it."""
    return bytes(save(tensors, metadata))


def safe_values(content: bytes) -> dict[str, Array]:
    """What the reference reads; its NumPy side has no bfloat16, its parser has."""
    read: list[tuple[str, dict[str, Any]]] = deserialize(content)  # type: ignore[no-untyped-call]  # safetensors has no types
    return {
        name: np.frombuffer(info["data"], _DTYPES[info["dtype"]]).reshape(info["shape"])
        for name, info in read
    }


def blocked(values: Array, block: int) -> Array:
    """NCHW to N, C/block, H, W, block by NumPy alone."""
    n, c, h, w = values.shape
    whole = np.pad(values, ((0, 0), (0, -c % block), (0, 0), (0, 0)))
    return whole.reshape(n, -1, block, h, w).transpose(0, 1, 3, 4, 2)


def post(client: httpx2.Client, body: Any, media: str | None = None, **query: str) -> Any:
    """The response to a file."""
    headers = {} if media is None else {"content-type": media}
    return client.post(PATH, params=query, content=body, headers=headers)


def reordered(client: httpx2.Client, body: Any, media: str | None = None, **query: str) -> bytes:
    """The file that comes back."""
    response = post(client, body, media, **query)
    assert response.status_code == 200, response.text[:500]
    assert int(response.headers["content-length"]) == len(response.content)
    return bytes(response.content)
