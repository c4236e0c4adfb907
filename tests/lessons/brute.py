"""The answers of the lessons without the engine: memory as arrays of NumPy, and plain loops.

A memory is an array that holds at each address the number of its element in row-major order, and
-1 where there is none.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from app.lessons.lesson import Answer, Exhibit, Question

Array = npt.NDArray[Any]
_BYTES: Final = {"float16": 2, "float32": 4, "float64": 8}
_DIMS: Final = {2: "HW", 3: "CHW", 4: "NCHW"}
_KEEPING: Final = {"relu", "sigmoid", "pool", "add_after", "pixels"}


def memory_of(text: str, shape: Sequence[int]) -> Array:
    """Memory of a layout written in letters, perhaps with a block of channels at the end."""
    found = re.fullmatch(r"([A-Z]+)(\d*)", text)
    assert found is not None
    order, block, dims = found[1], int(found[2] or 1), _DIMS[len(shape)]
    numbers = np.arange(np.prod(shape)).reshape(shape)
    axes = [dims.index(letter) for letter in order]
    if block > 1:
        c = dims.index("C")
        pads = [(0, -size % block if d == c else 0) for d, size in enumerate(shape)]
        numbers = np.pad(numbers, pads, constant_values=-1)
        numbers = numbers.reshape(*shape[:c], -1, block, *shape[c + 1 :])
        axes = [a + (a > c) for a in axes] + [c + 1]
    return numbers.transpose(axes).ravel()


def _number(shape: Sequence[int], at: Sequence[int]) -> int:
    return int(np.ravel_multi_index(tuple(at), tuple(shape)))


def _address(memory: Array, shape: Sequence[int], at: Sequence[int]) -> int:
    return int(np.flatnonzero(memory == _number(shape, at))[0])


def _cell(memory: Array, shape: Sequence[int], address: int) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(memory[address], tuple(shape)))


def _first(question: Question) -> tuple[Exhibit, tuple[int, ...]]:
    return question.tensors[0], question.tensors[0].layout.shape


def _by_address(question: Question) -> Answer:
    shown, shape = _first(question)
    return _address(memory_of(shown.text, shape), shape, question.about["at"])


def _cell_at(question: Question) -> Answer:
    shown, shape = _first(question)
    return _cell(memory_of(shown.text, shape), shape, question.about["address"])


def _next_cell(question: Question) -> Answer:
    shown, shape = _first(question)
    memory = memory_of(shown.text, shape)
    return _cell(memory, shape, _address(memory, shape, question.about["at"]) + 1)


def _strides(question: Question) -> Answer:
    _, shape = _first(question)
    memory = memory_of(question.about["layout"], shape)
    one = np.eye(len(shape), dtype=int)
    return tuple(_address(memory, shape, at) for at in one.tolist())


def _strided(question: Question) -> tuple[Array, Array]:
    """Rows with gaps, and the base that they are in; the base's values are its addresses."""
    _, shape = _first(question)
    strides = question.tensors[0].layout.strides or ()
    reach = sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    base = np.arange(reach + 1)
    x = np.lib.stride_tricks.as_strided(base, shape, [s * base.itemsize for s in strides])
    return x, base


def _of_strides(question: Question) -> Answer:
    return int(_strided(question)[0][tuple(question.about["at"])])


def _byte(question: Question) -> Answer:
    x = np.zeros(question.tensors[0].layout.shape, question.about["dtype"])
    return int(np.dot(question.about["at"], x.strides))


def _elements_of_bytes(question: Question) -> Answer:
    item = _BYTES[question.about["dtype"]]
    return int(np.dot(question.about["at"], question.about["byte_strides"])) // item


def _buffer_bytes(question: Question) -> Answer:
    return len(_strided(question)[1]) * _BYTES[question.about["dtype"]]


def _padded(question: Question) -> Answer:
    shown, shape = _first(question)
    size = _BYTES[question.about["dtype"]] if question.unit == "bytes" else 1
    return len(memory_of(shown.text, shape)) * size


def _picture(question: Question) -> Answer:
    _, shape = _first(question)
    told = [-1 if n is None else n for n in question.about["memory"]]
    (found,) = (
        text for text in question.choices if memory_of(text, shape)[: len(told)].tolist() == told
    )
    return found


def _transposed(question: Question) -> Answer:
    layout = question.tensors[0].layout
    base = np.zeros(layout.elements, np.int8)
    seen = np.lib.stride_tricks.as_strided(base, layout.shape, layout.strides or ())
    return seen.transpose(question.about["order"]).strides


def _flipped(question: Question) -> Answer:
    _, shape = _first(question)
    return int(_indexed(question, shape)[tuple(question.about["seen_at"])])


def _indexed(question: Question, shape: Sequence[int]) -> Array:
    parts = [
        slice(*(int(n) if n else None for n in part.split(":")))
        for part in question.about["index"].split(", ")
    ]
    return np.arange(np.prod(shape)).reshape(shape)[tuple(parts)]


def _reshapes(question: Question) -> Answer:
    x, base = _strided(question)
    shapes = [tuple(int(n) for n in re.findall(r"\d+", text)) for text in question.choices]
    return tuple(
        text
        for text, shape in zip(question.choices, shapes, strict=True)
        if np.shares_memory(x.reshape(shape), base)
    )


def _window(question: Question) -> Answer:
    """DML_SLICE1, a loop over its pseudocode; or the cells of an index."""
    _, (height, width) = _first(question)
    if "index" in question.about:
        return tuple(sorted(_indexed(question, (height, width)).ravel().tolist()))
    taken = []
    given = (question.about[name] for name in ("offsets", "sizes", "strides"))
    for offset, size, stride in zip(*given, strict=True):
        begin = offset + size - 1 if stride < 0 else offset
        count = 1 + (size - 1) // abs(stride)
        taken.append([begin + stride * i for i in range(count)])
    return tuple(sorted(h * width + w for h in taken[0] for w in taken[1]))


def _lines(question: Question) -> Answer:
    shown, shape = _first(question)
    memory, at = memory_of(shown.text, shape), question.about["reads_at"]
    numbers = np.arange(np.prod(shape)).reshape(shape)
    read = {
        "column": lambda: numbers[:, at[1]],
        "pixel": lambda: numbers[:, :, at[2], at[3]],
        "channel": lambda: numbers[:, at[1]],
    }[question.about["reads"]]()
    bytes_read = np.flatnonzero(np.isin(memory, read)) * _BYTES[question.about["dtype"]]
    return len(set((bytes_read // 64).tolist()))


def _reordered(question: Question) -> Answer:
    _, shape = _first(question)
    source, target = (memory_of(question.about[name], shape) for name in ("source", "target"))
    if "address" in question.about:
        return int(np.flatnonzero(target == source[question.about["address"]])[0])
    return (int(np.sum(source >= 0)) + len(target)) * _BYTES[question.about["dtype"]]


def _lost(question: Question) -> Answer:
    """The first step that does not keep the order, by PyTorch's documentation of each."""
    lost = [name not in _KEEPING for name in question.about["steps"]]
    return question.choices[lost.index(True) if True in lost else -1]


def _channels_last(question: Question) -> Answer:
    """NumPy leaves out sizes of 1 too where it asks whether an array is contiguous."""
    found = []
    for text, (shape, strides) in zip(question.choices, question.about["tensors"], strict=True):
        base = np.zeros(np.prod(shape), np.int8)
        x = np.lib.stride_tricks.as_strided(base, shape, strides)
        if x.transpose(0, 2, 3, 1).flags.c_contiguous:
            found.append(text)
    return tuple(found)


BRUTE: Final[dict[str, tuple[Callable[[Question], Answer], ...]]] = {
    "address": (_next_cell, _next_cell, _cell_at),
    "row-major": (_by_address,) * 3,
    "strides": (_strides,) * 3,
    "bytes": (_byte, _elements_of_bytes, _buffer_bytes),
    "nhwc": (_by_address, _by_address, _picture),
    "broadcast": (_of_strides, _of_strides, _buffer_bytes),
    "transpose": (_transposed,) * 3,
    "flip": (_flipped,) * 3,
    "reshape": (_reshapes,) * 3,
    "padding": (_of_strides, _padded, _padded),
    "nchw4": (_next_cell, _by_address, _by_address),
    "chwn4": (_picture, _by_address, _cell_at),
    "windows": (_window,) * 3,
    "cache-lines": (_lines,) * 3,
    "reorders": (_reordered,) * 3,
    "channels-last": (_lost, _lost, _channels_last),
}
