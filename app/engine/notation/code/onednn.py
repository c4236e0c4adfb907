"""oneDNN code that makes a memory descriptor: C++ of version 3, and the blocking structure in C.

Source: include/oneapi/dnnl/dnnl.hpp (dnnl::memory::desc), dnnl_types.h of version 2
(dnnl_memory_desc_t, which is private in version 3), memory_desc_strides_check.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...dtypes import ElementType
from ...facts.properties import Blocking, blocking, buffer_bytes
from ...layout import Layout
from ..dialect import CannotSayError
from ..dialects import onednn
from ..specs import DigitOrder

_MAX_NDIMS = 12


def onednn_code(layout: Layout, dtype: ElementType, order: DigitOrder | None = None) -> str:
    """C++ that makes the ``dnnl::memory::desc``: by strides if there are no blocks, else by tag.

    ``order``: the memory order as it was written. The tag keeps it if the sizes allow several
    orders, because the library lists tags for some orders only. A descriptor has no offset when it
    is made: the code adds it to the handle.
    Errors: CannotSayError.
    """
    view, data_type = _blocking(layout), _type(dtype)
    if view.inner_blocks:
        try:
            tag = onednn.write(layout, dtype, order)
        except CannotSayError as error:
            raise CannotSayError(
                "The C++ interface has no strides between inner blocks, only tags of dense memory."
            ) from error
        made = f"memory::format_tag::{tag}"
        note = "  // if this version lists the tag"
    else:
        made = f"memory::dims{_braces(view.outer_strides)}"
        note = ""
    lines = [
        '#include "dnnl.hpp"',
        "using dnnl::memory;",
        "",
        f"// logical: {', '.join(layout.dims)}",
        f"memory::desc md({_braces(layout.shape)},",
        f"        memory::data_type::{data_type}, {made});{note}",
    ]
    size_bytes = buffer_bytes(layout, dtype)["onednn"]
    if size_bytes is not None:
        lines.append(f"// md.get_size() == {size_bytes}")
    if layout.offset:
        if dtype.itemsize is None:
            raise CannotSayError(f"An offset in {dtype.name} may begin inside a byte.")
        lines.append(
            f"// memory(md, engine, static_cast<char *>(buffer) + {layout.offset * dtype.itemsize})"
        )
    return "\n".join(lines) + "\n"


def onednn_descriptor(layout: Layout, dtype: ElementType) -> str:
    """The blocking descriptor as a C initialiser. The strides are those of the outer blocks.

    Errors: CannotSayError.
    """
    view, data_type = _blocking(layout), _type(dtype)
    sizes = [size for size, _ in view.inner_blocks]
    dims = [d for _, d in view.inner_blocks]
    lines = [
        "dnnl_memory_desc_t md = {",
        f"    .ndims = {layout.rank},",
        f"    .dims = {_braces(layout.shape)},  // {', '.join(layout.dims)}",
        f"    .data_type = dnnl_{data_type},",
        f"    .padded_dims = {_braces(layout.padded_shape)},",
        f"    .offset0 = {layout.offset},",
        "    .format_kind = dnnl_blocked,",
        "    .format_desc.blocking = {",
        f"        .strides = {_braces(view.outer_strides)},",
        f"        .inner_nblks = {len(sizes)},",
        f"        .inner_blks = {_braces(sizes or [0])},",
        f"        .inner_idxs = {_braces(dims or [0])},",
        "    },",
        "};",
    ]
    return "\n".join(lines) + "\n"


def _braces(numbers: Sequence[int]) -> str:
    return "{" + ", ".join(map(str, numbers)) + "}"


def _type(dtype: ElementType) -> str:
    if dtype.onednn is None:
        raise CannotSayError(f"oneDNN has no data type for {dtype.name}.")
    return dtype.onednn


def _blocking(layout: Layout) -> Blocking:
    if layout.swizzle:
        raise CannotSayError("A memory descriptor cannot express swizzled addresses.")
    if not 1 <= layout.rank <= _MAX_NDIMS:
        raise CannotSayError(f"oneDNN tensors have 1 to {_MAX_NDIMS} dimensions.")
    if any(g.stride < 0 for digits in layout.digits for g in digits):
        raise CannotSayError("oneDNN has no negative strides.")
    view = blocking(layout)
    if view is None:
        raise CannotSayError("The inner blocks are not packed at the innermost end of memory.")
    if not view.inner_blocks:
        _check_strides(layout, view.outer_strides)
    return view


def _check_strides(layout: Layout, strides: Sequence[int]) -> None:
    """Raise CannotSayError if a stride is shorter than the dimensions inside it.

    Strides of 0 (broadcast) and strides of sizes of 1 are not checked.
    """
    if 0 in layout.shape:
        return
    least = 1
    for d in sorted(range(layout.rank), key=lambda d: (strides[d], layout.shape[d], d)):
        if strides[d] == 0 or layout.padded_shape[d] == 1:
            continue
        if strides[d] < least:
            raise CannotSayError(
                f"oneDNN rejects the stride of {layout.dims[d]}: it is shorter than the "
                "dimensions inside it."
            )
        least = strides[d] * layout.shape[d]
