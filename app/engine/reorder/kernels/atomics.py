"""Numba intrinsics for threads that share a job without Python: atomic words, and calls by address.

All addresses are bytes in int64. A word is an int64 at an address that is a multiple of 8. What a
thread writes before it changes a word is seen by each thread that reads the change.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils as _cgutils

from .instructions import Builder, Value, intrinsic, void

cgutils: Any = _cgutils  # Numba has no type hints
_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
# Tells the processor that a loop only waits. By the first part of LLVM's name of the machine.
_PAUSES: Final = {
    "x86_64": ("llvm.x86.sse2.pause", ()),
    "aarch64": ("llvm.aarch64.hint", (1,)),
    "arm64": ("llvm.aarch64.hint", (1,)),
}

# A call of a kernel in memory, in words: the kernel's address, then where in the arguments the
# begin and end of the source, the begin of the target and scratch memory are put, then the
# arguments. Numba passes each array as 5 + 2 * dimensions of them. A C function takes what it
# knows of its arguments, so all kernels are called with the same number: 5 + 32 + 3 + 7, and one
# more, where the end of the source is put for kernels that do not take it.
ARGUMENTS: Final = 48
HEADER: Final = 5
CALL_BYTES: Final = 8 * (HEADER + ARGUMENTS)


def _pointer(builder: Builder, address: Value) -> Value:
    return builder.inttoptr(address, _I64.as_pointer())


@intrinsic
def word(typingctx: Any, address: Any) -> Any:
    """Return a word."""

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        return builder.load_atomic(_pointer(builder, arguments[0]), "acquire", 8)

    return types.int64(types.int64), emit


@intrinsic
def set_word(typingctx: Any, address: Any, value: Any) -> Any:
    """Set a word."""

    def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        builder.store_atomic(arguments[1], _pointer(builder, arguments[0]), "release", 8)
        return context.get_dummy_value()

    return void(2), emit


@intrinsic
def changed(typingctx: Any, address: Any, old: Any, new: Any) -> Any:
    """Set a word to ``new`` if it is ``old``; return whether it was."""

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        address, old, new = arguments
        found = builder.cmpxchg(_pointer(builder, address), old, new, "acq_rel", "acquire")
        return builder.extract_value(found, 1)

    return types.boolean(types.int64, types.int64, types.int64), emit


@intrinsic
def pause(typingctx: Any) -> Any:
    """Leave the processor to others for a moment, if it has such an instruction."""

    def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        machine = builder.module.triple.partition("-")[0]
        if machine in _PAUSES:
            name, numbers = _PAUSES[machine]
            kind = ir.FunctionType(ir.VoidType(), [_I32] * len(numbers))
            called = builder.module.declare_intrinsic(name, (), kind)
            builder.call(called, [ir.Constant(_I32, n) for n in numbers])
        return context.get_dummy_value()

    return types.void(), emit


@intrinsic
def make_call(
    typingctx: Any, call: Any, source: Any, source_end: Any, target: Any, scratch: Any
) -> Any:
    """Make the call of a kernel at address ``call``, with these addresses among its arguments."""

    def emit(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        call, *places = arguments
        words = _pointer(builder, call)
        given = cgutils.alloca_once(builder, _I64, size=ARGUMENTS)
        at = [ir.Constant(_I64, k) for k in range(HEADER + ARGUMENTS)]
        for k in range(ARGUMENTS):
            builder.store(
                builder.load(builder.gep(words, [at[HEADER + k]])), builder.gep(given, [at[k]])
            )
        for k, place in enumerate(places):
            builder.store(
                place, builder.gep(given, [builder.load(builder.gep(words, [at[1 + k]]))])
            )
        # Numba's functions return a status, and take two addresses first, where a result and an
        # error are written. Kernels have neither.
        byte = _I8.as_pointer()
        kind = ir.FunctionType(_I32, [byte, byte, *[_I64] * ARGUMENTS])
        unused = [builder.bitcast(cgutils.alloca_once(builder, _I64), byte) for _ in range(2)]
        kernel = builder.inttoptr(builder.load(words), kind.as_pointer())
        builder.call(
            kernel, [*unused, *(builder.load(builder.gep(given, [k])) for k in at[:ARGUMENTS])]
        )
        return context.get_dummy_value()

    return void(5), emit
