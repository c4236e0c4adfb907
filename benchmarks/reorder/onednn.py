"""oneDNN's reorder through ctypes: its wheel contains no Python.

The numbers of data types and arguments are those of the enumerations in dnnl_types.h.
"""

import ctypes
import sys
from pathlib import Path

from benchmarks.reorder.cases import TAGS
from benchmarks.reorder.placement import Array
from benchmarks.reorder.work import Run, Unavailable, Work

_DATA_TYPES = {"float16": 1, "float32": 3, "int8": 5}
_SOURCE, _TARGET = 1, 17
_CPU, _IN_ORDER = 1, 1


class _Version(ctypes.Structure):
    _fields_ = (("major", ctypes.c_int), ("minor", ctypes.c_int), ("patch", ctypes.c_int))


class _Argument(ctypes.Structure):
    _fields_ = (("argument", ctypes.c_int), ("memory", ctypes.c_void_p))


class OneDnn:
    """A reorder primitive between memory descriptors of the two tags. Handles are not freed."""

    compiles = False

    def __init__(self) -> None:
        try:
            self._library = ctypes.CDLL(str(Path(sys.prefix) / "lib" / "libdnnl.so.3"))
        except OSError as error:
            raise Unavailable(str(error)) from error
        self._library.dnnl_version.restype = ctypes.POINTER(_Version)
        said = self._library.dnnl_version().contents
        self.version = f"{said.major}.{said.minor}.{said.patch}"
        self._engine, self._stream = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("engine_create", ctypes.byref(self._engine), _CPU, ctypes.c_size_t(0))
        self._call("stream_create", ctypes.byref(self._stream), self._engine, _IN_ORDER)

    def run_of(self, work: Work) -> Run:
        """Execute the primitive and wait for its end."""
        source = self._descriptor(work, TAGS[work.case.source])
        target = self._descriptor(work, TAGS[work.case.target])
        description, primitive = ctypes.c_void_p(), ctypes.c_void_p()
        self._call(
            "reorder_primitive_desc_create",
            ctypes.byref(description),
            source,
            self._engine,
            target,
            self._engine,
            None,
        )
        self._call("primitive_create", ctypes.byref(primitive), description)
        arguments = (_Argument * 2)(
            _Argument(_SOURCE, self._memory(source, work.buffer)),
            _Argument(_TARGET, self._memory(target, work.out)),
        )

        def run() -> None:
            self._call("primitive_execute", primitive, self._stream, 2, arguments)
            self._call("stream_wait", self._stream)

        return run

    def _descriptor(self, work: Work, tag: str) -> ctypes.c_void_p:
        shape = work.case.shape
        handle = ctypes.c_void_p()
        self._call(
            "memory_desc_create_with_string_tag",
            ctypes.byref(handle),
            len(shape),
            (ctypes.c_int64 * len(shape))(*shape),
            _DATA_TYPES[work.case.dtype],
            tag.encode(),
        )
        return handle

    def _memory(self, descriptor: ctypes.c_void_p, buffer: Array) -> ctypes.c_void_p:
        handle = ctypes.c_void_p()
        address = ctypes.c_void_p(buffer.ctypes.data)
        self._call("memory_create", ctypes.byref(handle), descriptor, self._engine, address)
        return handle

    def _call(self, name: str, *arguments: object) -> None:
        status = getattr(self._library, f"dnnl_{name}")(*arguments)
        if status:
            raise Unavailable(f"dnnl_{name}: status {status}")
