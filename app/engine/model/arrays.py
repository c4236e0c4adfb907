"""The array namespace: NumPy, or the library that the given arrays belong to.

The engine's array code names no library, it uses ``xp = namespace_of(array)``. So the result is on
the device of the input: CuPy arrays stay on the GPU. In tests array-api-strict replaces CuPy.
"""

import math
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .errors import LayoutError, phrase, refusal

INT64_MAX = 2**63 - 1
Int64Array = npt.NDArray[np.int64]
_LINE_BYTES = 64
_HUGE_BYTES = 2 << 20


def namespace_of(array: Any) -> Any:
    """The array API namespace of ``array``; NumPy for lists and numbers."""
    if isinstance(array, np.ndarray) or not hasattr(array, "shape"):
        return np
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    found = gpu_namespace()  # before release 14, CuPy's arrays do not name theirs
    return found if found is not None and isinstance(array, found.ndarray) else np


@lru_cache(maxsize=1)
def gpu_namespace() -> Any | None:
    """CuPy if it is installed and finds a GPU, else None. Cached.

    Importing CuPy succeeds without a GPU. Without a driver, ``is_available`` raises.
    """
    try:
        import cupy  # noqa: PLC0415  # takes seconds, and most callers do not need it

        return cupy if cupy.cuda.is_available() else None
    except Exception:  # a missing or broken driver raises any error: no GPU
        return None


def to_numpy(array: Any) -> Any:
    """``array`` as a NumPy array, copied from the GPU if it is there."""
    return array.get() if hasattr(array, "get") else np.asarray(array)


_INTEGER: Final = phrase("integer.int64")
_MOST_LISTS: Final = 8  # inside each other


def integers(values: Any, field: str) -> Any:
    """``values`` as int64 in their array namespace; an array of int64 is not copied.

    Integers of every width are taken, in arrays and lists, and arrays of them as rows of a list; an
    array without entries is too.
    Errors: LayoutError naming the first entry that is none: ``coordinates[0][1]``.
    """
    if isinstance(values, (list, tuple)):
        return _from_lists(values, field)
    xp = namespace_of(values)
    found = xp.asarray(values)
    name = getattr(found.dtype, "name", str(found.dtype)).rpartition(".")[2]
    if name == "object":  # such as integers beyond int64, None, or other arrays as entries
        error = _first_wrong(found.tolist() if found.ndim else [values], field, found.ndim - 1)
        if error is not None:
            raise error if found.ndim else error.under(field)
        return found.astype(np.int64)
    wrong = 0  # of an array of another type, the first entry stands for all
    if name.startswith(("int", "uint")):
        if name != "uint64" or not bool(xp.any(found > INT64_MAX)):
            return xp.asarray(found, dtype=xp.int64)
        wrong = int(xp.argmax(xp.reshape(found, (-1,))))
    if math.prod(found.shape) == 0:
        return xp.zeros(found.shape, dtype=xp.int64)
    at = np.unravel_index(wrong, found.shape)
    raise LayoutError(field + "".join(f"[{i}]" for i in at), to_numpy(found)[at].item(), _INTEGER)


def plain(value: Any) -> Any:
    """An integer of NumPy as Python's own; any other value as it is."""
    return value.item() if isinstance(value, np.integer) else value


def listed(values: Any, field: str) -> tuple[Any, ...]:
    """The entries of a list or an array, an integer of NumPy as Python's own.

    Errors: LayoutError naming ``field`` if there are no entries; their types are not checked.
    """
    try:
        return tuple(map(plain, values))
    except TypeError:
        raise LayoutError(field, values, phrase("integers.list")) from None


def _from_lists(values: Any, field: str) -> Int64Array:
    level: list[Any] = [values]
    kinds: set[type[Any]] = {list}
    for _ in range(_MOST_LISTS):
        kinds = set(map(type, level))
        if not kinds or not kinds <= {list, tuple}:
            break
        level = list(chain.from_iterable(level))
    if np.ndarray in kinds:
        with suppress(ValueError):  # of rows of different lengths
            found: Int64Array = integers(np.asarray(values), field)
            return found
    if all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in kinds):
        with suppress(ValueError, OverflowError):
            return np.asarray(values, dtype=np.int64)
    raise _first_wrong(values, field, _MOST_LISTS) or refusal(
        field, "lists of different lengths", "lists.equal"
    )


def _first_wrong(values: Any, field: str, depth: int) -> LayoutError | None:
    """The error of the first entry that is no integer of 64 bits, in lists inside each other."""
    for i, each in enumerate(values):
        where = f"{field}[{i}]"
        if isinstance(each, (list, tuple)) and depth > 0:
            wrong = _first_wrong(each, where, depth - 1)
            if wrong is not None:
                return wrong
        elif type(each) is bool or not isinstance(each, (int, np.integer)):
            return LayoutError(where, each, _INTEGER)
        elif not -INT64_MAX - 1 <= each <= INT64_MAX:
            return LayoutError(where, int(each), _INTEGER)
    return None


def at_line(
    shape: tuple[int, ...], dtype: npt.DTypeLike, *, zeros: bool = False, huge: bool = False
) -> npt.NDArray[Any]:
    """Return a new NumPy array that begins at a line of memory, as NumPy's own need not.

    Its items are ``zeros``, or have any values. ``huge``: a large one begins at a huge page, so
    that the system clears few pages, for a caller who writes all of it at once.
    """
    size_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    begins_at = _HUGE_BYTES if huge and size_bytes >= 16 * _HUGE_BYTES else _LINE_BYTES
    memory = (np.zeros if zeros else np.empty)(size_bytes + begins_at - 1, np.uint8)
    begin = -memory.ctypes.data % begins_at
    found: npt.NDArray[Any] = memory[begin : begin + size_bytes].view(dtype).reshape(shape)
    return found


def distinct_of(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the distinct values, ascending.

    np.unique hashes them, which takes 20 to 100 times as long for millions.
    """
    ordered = np.sort(values, axis=None)
    is_new = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return ordered[is_new]
