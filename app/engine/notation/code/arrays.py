"""Runnable code that makes a layout: NumPy and PyTorch.

Each text defines a logical array ``x``, numbered in row-major order, stores it in a buffer in
address order, and reads it back as ``y`` of the logical shape.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from ...inverse.overlap import shares_addresses
from ...model.digits import by_stride, merged, places, strides_nest
from ...model.dtypes import ELEMENT_TYPES, ElementType
from ...model.facts import MEMORY_ORDER, has_format
from ...model.layout import Digit, Layout
from ..dialect import CannotSayError

_SHARED = "# x is not stored: several elements share an address"
_PADDING_SHARED = "# x is not stored: elements of the padding share an address"


@dataclass(frozen=True, slots=True)
class _Axes:
    """The layout as an array with one axis per digit after merging, dimension by dimension.

    ``digits``: per axis. ``names``: per axis, as C/4 or C%4. ``packed``: the axes in memory
    order, outermost first, if memory is dense from address 0; else None.
    """

    layout: Layout
    digits: tuple[Digit, ...]
    names: tuple[str, ...]
    packed: tuple[int, ...] | None

    @property
    def split(self) -> bool:
        """Whether some dimension has more than one axis."""
        return len(self.digits) > self.layout.rank

    @property
    def extents(self) -> tuple[int, ...]:
        return tuple(g.extent for g in self.digits)

    @property
    def slices(self) -> str:
        """The index that cuts the padded array to the logical shape: ``[:, :3]``, or empty."""
        parts = [
            ":" if size == padded else f":{size}"
            for size, padded in zip(self.layout.shape, self.layout.padded_shape, strict=True)
        ]
        while parts and parts[-1] == ":":
            parts.pop()
        return f"[{', '.join(parts)}]" if parts else ""

    @property
    def split_dims(self) -> str:
        """The dimensions that have more than one axis, in words."""
        letters = [name[0] for name in self.names]
        found = [d for d in self.layout.dims if letters.count(d) > 1]
        return " and ".join(found) + (" is" if len(found) == 1 else " are") + " split"


@lru_cache(maxsize=64)
def _axes(layout: Layout) -> _Axes:
    """The axes of a layout. Cached: the code of two libraries needs them."""
    digits: list[Digit] = []
    names: list[str] = []
    for d, dim in enumerate(layout.dims):
        mine = merged(layout.digits[d]) or layout.digits[d][:1]
        for k, (place, g) in enumerate(reversed(places(mine))):
            digits.append(g)
            names.append(dim + (f"/{place}" if place > 1 else "") + (f"%{g.extent}" if k else ""))
    order = sorted(range(len(digits)), key=lambda i: (-digits[i].stride, i))
    expected = 1
    for i in reversed(order):
        if digits[i].extent != 1 and digits[i].stride != expected:
            break
        expected *= digits[i].extent
    else:
        if layout.offset == 0 and expected == layout.buffer_elements:
            return _Axes(layout, tuple(digits), tuple(names), tuple(order))
    return _Axes(layout, tuple(digits), tuple(names), None)


def _stored(store: str, axes: _Axes, *, padding: bool) -> str:
    """``store``, or a comment if elements share an address. ``padding``: whether the elements of
    the padding are stored too."""
    layout = axes.layout
    if axes.packed is not None:
        return store
    if shares_addresses(layout) is not False:
        return _SHARED
    return _PADDING_SHARED if padding and _padding_shares(layout) else store


def _padding_shares(layout: Layout) -> bool:
    """Whether elements share an address if the padding counts as elements, or may do so."""
    if layout.padded_shape == layout.shape:
        return False
    if strides_nest(by_stride(g for digits in layout.digits for g in digits if g.extent != 1)):
        return False  # as usual, and no search is needed
    return shares_addresses(replace(layout, shape=layout.padded_shape)) is not False


def numpy_code(layout: Layout, dtype: ElementType, stored: Layout | None = None) -> str:
    """NumPy code; ``y`` is a view of the buffer if strides describe the layout, else a copy.

    ``stored``: the layout of which this one is a view; ``x`` has its shape, and ``y`` shows the
    numbers of its elements. Errors: CannotSayError for types of half a byte.
    Source: numpy.lib.stride_tricks.as_strided.
    """
    if dtype.itemsize is None:
        raise CannotSayError("numpy.pack", type=dtype.name)
    whole = stored or layout
    extended = dtype.extended
    typed = f"{'ml_dtypes' if extended else 'np'}.{'bool_' if dtype.name == 'bool' else dtype.name}"
    lines = ["import ml_dtypes"] if extended else []
    lines += [
        "import numpy as np",
        "",
        f"x = np.arange({whole.elements}).reshape({whole.shape}).astype({typed})"
        f"  # {_named(whole)}{_rounded(whole, dtype)}",
        f"buffer = np.zeros({whole.buffer_elements}, {typed})  # in address order",
    ]
    made, store, read = _numpy_read(whole, dtype, whole.buffer_elements)
    lines += [*made, store, *read]
    if stored:
        made, _, read = _numpy_read(layout, dtype, stored.buffer_elements)
        lines += ["", f"# the view, {_named(layout)}", *made, *read]
    return "\n".join(lines) + "\n"


def _named(layout: Layout) -> str:
    return f"logical: {', '.join(layout.dims) or 'one element'}"


def _rounded(layout: Layout, dtype: ElementType) -> str:
    """A warning where the type does not hold the numbers of all elements."""
    most = dtype.exact_up_to
    return f"; {dtype.name} is exact up to {most}" if layout.elements > most + 1 else ""


def _numpy_read(
    layout: Layout, dtype: ElementType, buffer_elements: int
) -> tuple[list[str], str, list[str]]:
    """Lines that make the places of the elements, the one that stores, and those that read."""
    # A swizzle keeps addresses distinct.
    axes = _axes(replace(layout, swizzle=None) if layout.swizzle else layout)
    if layout.swizzle:
        base, whole = _numpy_array(axes, "plain", ELEMENT_TYPES["int64"])
        made = [
            f"plain = np.arange({axes.layout.buffer_elements}, dtype=np.int64)",
            f"address = {whole.format(base)}",
            f"address = address ^ {layout.swizzle.moved_text('address')}",
        ]
        store = _stored("buffer[address] = x", axes, padding=False)
        return made, store, ["y = buffer[address]  # a copy: strides cannot describe a swizzle"]
    if buffer_elements > layout.buffer_elements:
        axes = replace(axes, packed=None)
    base, whole = _numpy_array(axes, "buffer", dtype)
    if not axes.split:
        made = [f"y = {whole.format(base)}  # a view"]
        return made, _stored("y[...] = x", axes, padding=False), []
    made = [f"blocks = {base}  # {', '.join(axes.names)}"]
    widths = tuple((0, p - n) for n, p in zip(layout.shape, layout.padded_shape, strict=True))
    padded = f"np.pad(x, {widths})" if layout.padded_shape != layout.shape else "x"
    store = _stored(f"blocks[...] = {padded}.reshape({axes.extents})", axes, padding=True)
    return made, store, [f"y = {whole.format('blocks')}  # a copy: {axes.split_dims}"]


def _numpy_array(axes: _Axes, buffer: str, dtype: ElementType) -> tuple[str, str]:
    """Code of the array with one axis per digit, and a format from it to the logical array."""
    layout = axes.layout
    if axes.packed is None:
        # as_strided looks up the type by its code, and NumPy has no <f1, the code of float8_e5m2.
        nameless = dtype.name == "float8_e5m2"
        start = f"{buffer}[{layout.offset}:]" if layout.offset else buffer
        start += ".view(np.uint8)" if nameless else ""
        itemsize = dtype.bits // 8
        shape = axes.extents if axes.split else layout.shape
        strides = tuple(g.stride * itemsize for g in axes.digits)
        base = f"np.lib.stride_tricks.as_strided({start}, {shape}, {strides})"
        base += ".view(ml_dtypes.float8_e5m2)" if nameless else ""
        return base, f"{{}}.reshape({layout.padded_shape}){axes.slices}" if axes.split else "{}"
    extents = axes.extents
    base = f"{buffer}.reshape({tuple(extents[i] for i in axes.packed)})"
    if axes.packed != tuple(range(len(axes.packed))):
        base += f".transpose({tuple(axes.packed.index(i) for i in range(len(axes.packed)))})"
    joined = f".reshape({layout.padded_shape})" if axes.split else ""
    return base, f"{{}}{joined}{axes.slices}"


def pytorch_code(layout: Layout, dtype: ElementType, stored: Layout | None = None) -> str:
    """PyTorch code; ``y`` is a view of the storage if strides describe the layout, else a copy.

    ``stored``: as for ``numpy_code``.
    Errors: CannotSayError for negative strides and types of half a byte.
    Source: torch.as_strided, torch.Tensor.to.
    """
    if dtype.itemsize is None:
        raise CannotSayError("pytorch.half_byte", type=dtype.name)
    whole = stored or layout
    typed = f"torch.{dtype.name}"
    lines = [
        "import torch",
        "",
        f"x = torch.arange({whole.elements}).reshape({whole.shape}).to({typed})"
        f"  # {_named(whole)}{_rounded(whole, dtype)}",
    ]
    memory_format = _memory_format(whole)
    if memory_format:
        lines.append(f"y = x.contiguous(memory_format=torch.{memory_format})")
    else:
        made, store, read = _torch_read(whole, "storage")
        zeros = f"storage = torch.zeros({whole.buffer_elements}, dtype={typed})  # in address order"
        lines += [zeros, *made, store, *read]
    if stored:
        made, _, read = _torch_read(layout, "y" if memory_format else "storage")
        lines += ["", f"# the view, {_named(layout)}", *made, *read]
    return "\n".join(lines) + "\n"


def _torch_read(layout: Layout, storage: str) -> tuple[list[str], str, list[str]]:
    """As ``_numpy_read``; ``storage``: a tensor that has it. Errors: as ``pytorch_code``."""
    axes = _axes(replace(layout, swizzle=None) if layout.swizzle else layout)
    if any(g.stride < 0 for g in axes.digits):
        raise CannotSayError("pytorch.negative")
    shape = axes.extents if axes.split else layout.shape
    geometry = f"{shape}, {tuple(g.stride for g in axes.digits)}, {layout.offset}"
    joined = f".reshape({layout.padded_shape}){axes.slices}" if axes.split else ""
    if layout.swizzle:
        made = [
            f"plain = torch.arange({axes.layout.buffer_elements})",
            f"address = torch.as_strided(plain, {geometry}){joined}",
            f"address = address ^ {layout.swizzle.moved_text('address')}",
        ]
        store = _stored("storage[address] = x", axes, padding=False)
        return made, store, ["y = storage[address]  # a copy: strides cannot describe a swizzle"]
    if not axes.split:
        made = [f"y = torch.as_strided({storage}, {geometry})"]
        return made, _stored("y.copy_(x)", axes, padding=False), []
    made = [f"blocks = torch.as_strided({storage}, {geometry})  # {', '.join(axes.names)}"]
    text = f"blocks.copy_({_torch_padded(layout)}.reshape({axes.extents}))"
    store = _stored(text, axes, padding=True)
    return made, store, [f"y = blocks{joined}  # a copy: {axes.split_dims}"]


def _memory_format(layout: Layout) -> str | None:
    strides = layout.strides
    if strides is None or layout.offset or layout.buffer_elements != layout.elements:
        return None
    return next((name for name in MEMORY_ORDER if has_format(layout.shape, strides, name)), None)


def _torch_padded(layout: Layout) -> str:
    """``x`` padded; torch lists the dimensions from the last to the first."""
    after = [p - n for n, p in zip(layout.shape, layout.padded_shape, strict=True)]
    if not any(after):
        return "x"
    widths = tuple(width for extra in reversed(after) for width in (0, extra))
    return f"torch.nn.functional.pad(x, {widths})"
