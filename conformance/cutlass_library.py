"""CUTLASS's layout classes: its own headers, compiled for the host with g++ and called by ctypes.

The headers are in the wheel nvidia-cutlass. They include CUDA's headers, which are in wheels too.
No compiler for the GPU is needed.
"""

import ctypes
import importlib.util
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

INTERLEAVES = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64)
_FLAGS = ("-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-fsanitize=signed-integer-overflow")
_OVERFLOWED, _UNKNOWN = 1, 2


class CutlassError(Exception):
    """CUTLASS's arithmetic exceeds int32."""


@dataclass(frozen=True, slots=True)
class Said:
    """Results for a packed layout: the offset of each given coordinate, and the capacity."""

    offsets: list[int]
    capacity: int


def _includes() -> list[Path]:
    """The folders of the headers. Errors: ImportError naming the wheel that is missing."""
    found = []
    for package, inside, marker in (
        ("cutlass_library", "source/include", "cutlass/layout/tensor.h"),
        ("nvidia", "cu13/include", "cuda_fp16.h"),
        ("nvidia", "cu13/include", "crt/host_defines.h"),
        ("nvidia", "cu13/include/cccl", "cuda/std/utility"),
    ):
        spec = importlib.util.find_spec(package)
        places = [Path(p) / inside for p in (spec and spec.submodule_search_locations) or ()]
        place = next((p for p in places if (p / marker).is_file()), None)
        if place is None:
            raise ImportError(f"no header {marker} in the package {package}")
        found.append(place)
    return found


@cache
def _library() -> ctypes.CDLL:
    source = Path(__file__).with_name("cutlass_offsets.cpp")
    with tempfile.TemporaryDirectory() as folder:
        built, kept = Path(folder) / "cutlass_offsets.so", Path(folder) / "cutlass_offsets.o"
        folders = [word for place in _includes() for word in ("-isystem", str(place))]
        # Linked separately and without the sanitizer's library: its handlers are in the source.
        for command in (
            ["g++", *_FLAGS, *folders, "-c", str(source), "-o", str(kept)],
            ["g++", "-shared", str(kept), "-o", str(built)],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # the command is written here
            if done.returncode:
                raise ImportError(f"g++: {done.stderr.strip()}")
        return ctypes.CDLL(str(built))


def packed(
    name: str, interleave: int, extent: Sequence[int], coordinates: npt.NDArray[np.int32]
) -> Said:
    """Offsets of ``coordinates``, whose dimensions are in the class's own order, and the capacity.

    Errors: CutlassError if an offset exceeds int32, ValueError for an unknown class.
    """
    rows = np.ascontiguousarray(coordinates, dtype=np.int32)
    offsets = np.zeros(len(rows), dtype=np.int64)
    capacity = ctypes.c_int64()
    status = _library().cutlass_offsets(
        name.encode(),
        interleave,
        (ctypes.c_int32 * len(extent))(*extent),
        ctypes.c_int64(len(rows)),
        rows.ctypes.data_as(ctypes.c_void_p),
        offsets.ctypes.data_as(ctypes.c_void_p),
        ctypes.byref(capacity),
    )
    if status == _UNKNOWN:
        raise ValueError(f"no class {name}<{interleave}>")
    if status == _OVERFLOWED:
        raise CutlassError("a stride exceeds int32")
    return Said(offsets.tolist(), capacity.value)
