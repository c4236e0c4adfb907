"""Numba intrinsics that copy, prefetch and read tables by memory address, without arrays.

No kernel passes an array to a function. That would count references with an atomic instruction,
which empties the buffers where streamed stores wait for the rest of their line.

Without streamed stores, a target of 64 MB takes 1.6 times as long in the median of the rows of
``benchmarks.reorder --quick``; docs/decisions/0037 has the figures of prefetches.

All addresses and strides are bytes in int64. ``unit`` is a value of the unit's type (uint8 to
uint64, complex128 for 16 bytes), ``units`` is a tuple of them. Only their type and number are used.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import extending, njit, types

Builder = Any
Value = Any
REGISTER = 16  # bytes
LINE = 64
_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_TUPLE: Any = types.UniTuple


def intrinsic(emitter: Callable[..., Any]) -> Any:
    """Apply Numba's decorator. Callers of the result leave out ``typingctx``."""
    return extending.intrinsic(emitter)


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


def void(parameters: int) -> Any:
    """Return a signature with this number of addresses or strides, and no result."""
    return types.void(*[types.int64] * parameters)


def emit_prefetch(builder: Builder, address: Value) -> None:
    """Emit a prefetch of the line at an address, to be read."""
    pointer = builder.inttoptr(address, _I8.as_pointer())
    kind = ir.FunctionType(ir.VoidType(), [pointer.type, _I32, _I32, _I32])
    called = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
    use, keep, data = (ir.Constant(_I32, x) for x in (0, 3, 1))
    builder.call(called, [pointer, use, keep, data])


def _copier(size: int, registers: int, *, streamed: bool) -> Any:
    @intrinsic
    def copy(typingctx: Any, source: Any, target: Any) -> Any:
        """Copy ``registers`` registers of ``size`` bytes from one address to another."""

        def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
            source, target = arguments
            offsets = [ir.Constant(_I64, size * i) for i in range(registers)]
            loaded = [load(builder, builder.add(source, n), 4, size) for n in offsets]
            for n, register in zip(offsets, loaded, strict=True):
                store(builder, register, builder.add(target, n), streamed=streamed)
            return _context.get_dummy_value()

        return void(2), emit

    return copy


copy_register, copy_half = _copier(16, 1, streamed=False), _copier(32, 1, streamed=False)
copy_line, copy_line_streamed = _copier(64, 1, streamed=False), _copier(64, 1, streamed=True)


@intrinsic
def copy_masked(typingctx: Any, source: Any, target: Any, mask: Any) -> Any:
    """Copy a register of 16 bytes; keep only the bits that are set at address ``mask``."""

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        source, target, mask = arguments
        kept = builder.and_(load(builder, source, 4, REGISTER), load(builder, mask, 4, REGISTER))
        store(builder, kept, target)
        return _context.get_dummy_value()

    return void(3), emit


@intrinsic
def copy_unit(typingctx: Any, unit: Any, source: Any, target: Any) -> Any:
    """Copy one unit, at any alignment."""
    kind = ir.IntType(unit.bitwidth)

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        _, source, target = arguments
        loaded = builder.load(builder.inttoptr(source, kind.as_pointer()))
        loaded.align = 1
        builder.store(loaded, builder.inttoptr(target, kind.as_pointer())).align = 1
        return _context.get_dummy_value()

    return types.void(unit, types.int64, types.int64), emit


@intrinsic
def number(typingctx: Any, table: Any, index: Any) -> Any:
    """Return the int64 at an index of a table. ``table``: its address."""

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        pointer = builder.inttoptr(arguments[0], _I64.as_pointer())
        return builder.load(builder.gep(pointer, [arguments[1]]))

    return types.int64(types.int64, types.int64), emit


@intrinsic
def set_number(typingctx: Any, table: Any, index: Any, value: Any) -> Any:
    """Write the int64 at an index of a table. ``table``: its address."""

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        pointer = builder.inttoptr(arguments[0], _I64.as_pointer())
        builder.store(arguments[2], builder.gep(pointer, [arguments[1]]))
        return _context.get_dummy_value()

    return void(3), emit


@intrinsic
def units_like(typingctx: Any, like: Any) -> Any:
    """Return a tuple of units without values: of the type of an array, one per dimension."""
    units = _TUPLE(like.dtype, like.ndim)

    def emit(context: Any, _builder: Builder, signature: Any, arguments: Any) -> Value:
        return ir.Constant(context.get_value_type(units), ir.Undefined)

    return units(like), emit


@intrinsic
def width_of(typingctx: Any, unit: Any) -> Any:
    """Return the bytes of a unit, or of one unit of a tuple."""
    width = (unit.dtype if isinstance(unit, types.UniTuple) else unit).bitwidth // 8

    def emit(_context: Any, _builder: Builder, signature: Any, arguments: Any) -> Value:
        return ir.Constant(_I64, width)

    return types.int64(unit), emit


@intrinsic
def prefetch(typingctx: Any, address: Any) -> Any:
    """Prefetch the line at an address; any address is allowed."""

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        emit_prefetch(builder, arguments[0])
        return _context.get_dummy_value()

    return void(1), emit


@intrinsic
def fence(typingctx: Any) -> Any:
    """Complete all non-temporal stores.

    They are weakly ordered, so another thread could see the end of the kernel before them.
    """

    def emit(_context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        builder.fence("seq_cst")
        return _context.get_dummy_value()

    return types.void(), emit


def helper(function: Callable[..., Any]) -> Any:
    """Decorate a function that kernels call; it is compiled with each of them."""
    return njit(nogil=True, error_model="numpy")(function)
