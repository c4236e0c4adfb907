"""Calls in a pasted text against what PyTorch and NumPy make of them."""

import random
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from app.engine import LayoutError, parse_layout
from app.engine.notation.paste.reading import read_text
from conformance.report import Comparison, Refused

_CASES = 3000
_SIZES = (1, 2, 3, 4)
_BOTH = (".T", ".mT", "[None]", "[..., 0]", "[:, ::2]", "[1:]", ".squeeze()", ".reshape(-1)")
_TORCH = (
    *(".flatten()", ".flatten(1)", ".flatten(start_dim=0, end_dim=1)", ".contiguous()", ".t()"),
    *(".unfold(0, 2, 1)", ".unfold(dimension=-1, size=1, step=2)", ".clone()", ".half()"),
    *(".to(memory_format=torch.channels_last)", ".to(torch.int8)", ".unsqueeze(1)", ".view(-1)"),
    *(".contiguous(memory_format=torch.channels_last)", ".narrow(0, 0, 1)", ".select(0, 0)"),
    *(".as_strided((2, 2), (3, 1))", ".as_strided((3,), (4,), 1)"),
    *(".transpose(0, -1)", ".swapaxes(0, 1)", ".flip(0)", ".flip(0, 1)", ".reshape(2, -1)"),
)
_NUMPY = (".ravel()", ".flatten()", ".copy()", ".astype(np.float64)", ".transpose()", "[::-1]")


def compare(rng: random.Random) -> Iterator[Comparison]:
    """Sizes, type, strides and offset, or that there is no such tensor."""
    warnings.filterwarnings("ignore", category=UserWarning)  # .T and .mT warn of other ranks
    for library, made, views in (("pytorch", _torch, _TORCH), ("numpy", _numpy, _NUMPY)):
        row = Comparison(library, "what a call makes")
        for _ in range(_CASES):
            shape = [rng.choice(_SIZES) for _ in range(rng.randint(1, 5))]
            text = made(rng, shape)
            taken = [rng.choice((*_BOTH, *views)) for _ in range(rng.randint(0, 4))]
            at = rng.randint(0, len(taken))
            named = [f"x = {text}{''.join(taken[:at])}", f"y = x{''.join(taken[at:])}"]
            text += "".join(taken)
            ours = _ours(rng.choice(("\n", "; ")).join(named) if at < len(taken) else text)
            if not (isinstance(ours, Refused) and "dense" in ours.reason):
                row.equal(ours, _theirs(text), text)
        yield row


def not_compared() -> str:
    """What is not compared, and why."""
    return "calls: copies in the order of a tensor with gaps, which are refused; strides of sizes 1"


def _torch(rng: random.Random, shape: list[int]) -> str:
    strides = [rng.randint(0, 9) for _ in shape]
    makers = [
        f"torch.randn({', '.join(map(str, shape))})",
        f"torch.zeros({tuple(shape)}, dtype=torch.float16)",
        f"torch.full(size={tuple(shape)}, fill_value=2)",
        f"torch.empty_strided({tuple(shape)}, {tuple(strides)})",
        f"torch.zeros(99).as_strided({tuple(shape)}, {tuple(strides)}, 3)",
        f"torch.randint(0, 9, {tuple(shape)}).permute({rng.sample(range(len(shape)), len(shape))})",
    ]
    return rng.choice(makers)


def _numpy(rng: random.Random, shape: list[int]) -> str:
    makers = [
        f"np.zeros({tuple(shape)})",
        f"np.ones({tuple(shape)}, np.int16)",
        f"np.empty({tuple(shape)}, order='F')",
        f"np.arange({np.prod(shape)}).reshape({tuple(shape)})",
        f"np.full({tuple(shape)}, 1, dtype='<f4')",
    ]
    return rng.choice(makers)


def _ours(text: str) -> object:
    try:
        *before, read = read_text(text).tensors
        if why := next((one.problem for one in (*before, read) if one.problem), None):
            return Refused(why)
        layout = parse_layout(read.layout or "", read.shape or (), None, read.dtype or "float32")
    except LayoutError as error:
        return Refused(str(error))
    return _said(layout.shape, read.dtype, layout.strides or (), layout.offset)


def _theirs(text: str) -> object:
    try:
        found: Any = eval(text)  # noqa: S307  # the program's own text
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        return Refused(str(error))
    if isinstance(found, torch.Tensor):
        name = str(found.dtype).removeprefix("torch.")
        return _said(tuple(found.shape), name, found.stride(), found.storage_offset())
    start = found.__array_interface__["data"][0] if isinstance(found, np.ndarray) else 0
    base = found
    while isinstance(base.base, np.ndarray):
        base = base.base
    offset = (start - base.__array_interface__["data"][0]) // found.itemsize if start else 0
    strides = tuple(s // found.itemsize for s in found.strides)
    return _said(found.shape, found.dtype.name, strides, offset)


def _said(
    shape: tuple[int, ...], dtype: str | None, strides: tuple[int, ...], offset: int
) -> object:
    used = tuple(s for n, s in zip(shape, strides, strict=True) if n != 1)
    return shape, dtype, used if 0 not in shape else (), offset if 0 not in shape else 0
