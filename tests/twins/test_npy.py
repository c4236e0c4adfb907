"""The page's reader of .npy files against NumPy, on random arrays.

A dropped file never leaves the browser, so the page reads it itself.
"""

import base64
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.examples import fewer
from tests.twins.node import ask_page

CASES = fewer(150)
SEED = 20261122
TYPES = ["?", "i1", "u1", "i2", "u2", "f2", "i4", "u4", "f4", "i8", "u8", "f8"]

ASK = """async (files) => {
  const { parseNpy, toRowMajor } = await import('/static/core/files/npy.js');
  return files.map((text) => {
    const array = parseNpy(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
    const values = Array.from(toRowMajor(array), String);
    return { shape: array.shape, dtype: array.dtype, values };
  });
}"""


def random_array(rng: np.random.Generator) -> NDArray[Any]:
    """Any type that a .npy file holds, of either byte order, in either order of dimensions."""
    shape = rng.integers(0, 5, rng.integers(0, 6)) + (rng.random() < 0.9)
    kind = rng.choice(TYPES)
    order = rng.choice(["<", ">"])
    dtype = np.dtype(kind if kind == "?" else order + kind)
    size = int(np.prod(shape)) * dtype.itemsize
    bits = rng.integers(0, 2 if kind == "?" else 256, size, dtype=np.uint8)
    return np.reshape(bits.view(dtype), shape, order="C" if rng.random() < 0.5 else "F")


def npy(array: NDArray[Any], version: tuple[int, int]) -> str:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version)
    return base64.b64encode(file.getvalue()).decode()


def test_the_page_reads_npy_files_as_numpy_does() -> None:
    rng = np.random.default_rng(SEED)
    arrays = [random_array(rng) for _ in range(CASES)]
    versions = [(1, 0), (2, 0), (3, 0)]
    files = [npy(array, versions[i % 3]) for i, array in enumerate(arrays)]

    answers = ask_page(ASK, files)

    for array, answer in zip(arrays, answers, strict=True):
        assert tuple(answer["shape"]) == array.shape
        assert answer["dtype"] == array.dtype.name
        number = float if array.dtype.kind == "f" else int  # integers of any length stay exact
        read = [number(text) for text in answer["values"]]
        with np.errstate(invalid="ignore"):  # random bits are signalling NaNs too
            expected = [number(value) for value in array.ravel().tolist()]
        assert list(map(repr, map(abs, read))) == list(map(repr, map(abs, expected))), array
        assert [value < 0 for value in read] == [value < 0 for value in expected], array
