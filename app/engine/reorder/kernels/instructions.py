"""Numba intrinsics that copy, prefetch and read tables by memory address, without arrays.

No kernel passes an array to a function. That would count references with an atomic instruction,
which empties the buffers where streamed stores wait for the rest of their line.

Without streamed stores, a target of 64 MB takes 1.6 times as long in the median of the rows of
``benchmarks.reorder --quick``; docs/decisions/0037 has the figures of prefetches.

All addresses and strides are bytes in int64. ``unit`` is a value of the unit's type (uint8 to
uint64, complex128 for 16 bytes), ``units`` is a tuple of them. Only their type and number are used.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any

from llvmlite import ir
from numba import extending, njit, types

Builder = Any
Value = Any
REGISTER = 16  # bytes
LINE = 64
_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_TUPLE: Any = types.UniTuple
# By Numba's own types, callers would pass ``typingctx``.
_intrinsic: Callable[[Callable[..., Any]], Any] = extending.intrinsic


def intrinsic(emit: Callable[..., None]) -> Any:
    """Make an intrinsic without a result of ``emit(builder, *arguments)``.

    A first argument named ``unit`` or ``units`` is a Numba type, all others are values in int64.
    """
    by_type = emit.__code__.co_varnames[1:2] in {("unit",), ("units",)}

    def typed(_context: Any, *given: Any) -> Any:
        kinds = [*given[:by_type], *[types.int64] * (len(given) - by_type)]

        def write(context: Any, builder: Builder, _signature: Any, values: Any) -> Value:
            emit(builder, *given[:by_type], *values[by_type:])
            return context.get_dummy_value()

        return types.void(*kinds), write

    typed.__dict__["__signature__"] = signature(emit)  # Numba asks how many arguments it takes
    return _intrinsic(typed)


def load(builder: Builder, address: Value, width: int, size: int) -> Value:
    """Emit a load of a register of ``size`` bytes in units of ``width`` bytes, unaligned."""
    kind = ir.VectorType(ir.IntType(8 * width), size // width)
    loaded = builder.load(builder.inttoptr(address, kind.as_pointer()))
    loaded.align = 1
    return loaded


def store(builder: Builder, value: Value, address: Value, *, streamed: bool = False) -> None:
    """Emit a store of a register: to any address, or ``streamed`` to an aligned address."""
    stored = builder.store(value, builder.inttoptr(address, value.type.as_pointer()))
    stored.align = value.type.count * value.type.element.width // 8 if streamed else 1
    if streamed:
        node = builder.module.add_metadata([ir.Constant(_I32, 1)])
        stored.set_metadata("nontemporal", node)


def emit_prefetch(builder: Builder, address: Value) -> None:
    """Emit a prefetch of the line at an address, to be read."""
    pointer = builder.inttoptr(address, _I8.as_pointer())
    kind = ir.FunctionType(ir.VoidType(), [pointer.type, _I32, _I32, _I32])
    called = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
    use, keep, data = (ir.Constant(_I32, x) for x in (0, 3, 1))
    builder.call(called, [pointer, use, keep, data])


def _copier(size: int, *, streamed: bool = False) -> Any:
    @intrinsic
    def copy(builder: Builder, source: Value, target: Value) -> None:
        """Copy a register of ``size`` bytes from one address to another."""
        store(builder, load(builder, source, 4, size), target, streamed=streamed)

    return copy


copy_register, copy_half = _copier(16), _copier(32)
copy_line, copy_line_streamed = _copier(64), _copier(64, streamed=True)


@intrinsic
def copy_masked(builder: Builder, source: Value, target: Value, mask: Value) -> None:
    """Copy a register of 16 bytes; keep only the bits that are set at address ``mask``."""
    kept = builder.and_(load(builder, source, 4, REGISTER), load(builder, mask, 4, REGISTER))
    store(builder, kept, target)


@intrinsic
def copy_unit(builder: Builder, unit: Any, source: Value, target: Value) -> None:
    """Copy one unit, at any alignment."""
    pointer = ir.IntType(unit.bitwidth).as_pointer()
    loaded = builder.load(builder.inttoptr(source, pointer))
    loaded.align = 1
    builder.store(loaded, builder.inttoptr(target, pointer)).align = 1


@intrinsic
def set_number(builder: Builder, table: Value, index: Value, value: Value) -> None:
    """Write the int64 at an index of a table. ``table``: its address."""
    builder.store(value, builder.gep(builder.inttoptr(table, _I64.as_pointer()), [index]))


@intrinsic
def prefetch(builder: Builder, address: Value) -> None:
    """Prefetch the line at an address, to be read; any address is allowed."""
    emit_prefetch(builder, address)


@intrinsic
def fence(builder: Builder) -> None:
    """Complete all non-temporal stores.

    They are weakly ordered, so another thread could see the end of the kernel before them.
    """
    builder.fence("seq_cst")


@_intrinsic
def number(typingctx: Any, table: Any, index: Any) -> Any:
    """Return the int64 at an index of a table. ``table``: its address."""

    def emit(_context: Any, builder: Builder, _signature: Any, arguments: Any) -> Value:
        pointer = builder.inttoptr(arguments[0], _I64.as_pointer())
        return builder.load(builder.gep(pointer, [arguments[1]]))

    return types.int64(types.int64, types.int64), emit


@_intrinsic
def units_like(typingctx: Any, like: Any) -> Any:
    """Return a tuple of units without values: of the type of an array, one per dimension."""
    units = _TUPLE(like.dtype, like.ndim)

    def emit(context: Any, _builder: Builder, _signature: Any, arguments: Any) -> Value:
        return ir.Constant(context.get_value_type(units), ir.Undefined)

    return units(like), emit


@_intrinsic
def width_of(typingctx: Any, unit: Any) -> Any:
    """Return the bytes of a unit, or of one unit of a tuple."""
    width = (unit.dtype if isinstance(unit, types.UniTuple) else unit).bitwidth // 8

    def emit(_context: Any, _builder: Builder, _signature: Any, arguments: Any) -> Value:
        return ir.Constant(_I64, width)

    return types.int64(unit), emit


def helper(function: Callable[..., Any]) -> Any:
    """Decorate a function that kernels call; it is compiled with each of them."""
    return njit(nogil=True, error_model="numpy")(function)
