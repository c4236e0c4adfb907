"""oneDNN code that makes a memory descriptor: C++ and C of version 3, C of version 2.

Version 3 makes blocked layouts from the tags of its headers alone; `permute_axes` gives them for
dimensions in any other order. Version 2 takes any blocks in the fields of ``dnnl_memory_desc_t``.

Source: include/oneapi/dnnl/dnnl.hpp (dnnl::memory::desc), dnnl.h, dnnl_types.h of version 2
(dnnl_memory_desc_t, which is private in version 3), memory_desc_strides_check.
"""

import math
import re
from collections.abc import Sequence
from functools import cache, lru_cache

from ...model.dtypes import ElementType
from ...model.layout import Layout
from ..dialect import CannotSayError
from ..dialects import onednn
from ..dialects.onednn import TAG_SINCE, TYPE_SINCE
from ..dialects.strides import braces
from ..orders import Blocking, DigitOrder, blocking, order_is_layout

_MAX_NDIMS = 12
_LETTERS = "abcdefghijkl"


def onednn_code(
    layout: Layout, dtype: ElementType, order: DigitOrder | None = None, spelling: str = ""
) -> str:
    """C++ that makes the ``dnnl::memory::desc``: by strides if there are no blocks, else by tag.

    ``order``: the memory order as it was written. The tag keeps it if the sizes allow several
    orders, because the library lists tags for some orders only. ``spelling``: the text that was
    read; an alias of the tag is named beside it. A descriptor has no offset when it is made: the
    code adds it to the handle.
    Errors: CannotSayError.
    """
    view, data_type = _blocking(layout), _type(dtype)
    typed, since = f"memory::data_type::{data_type}", TYPE_SINCE.get(data_type)
    if not view.inner_blocks:
        last = f"memory::dims{braces(view.outer_strides)}"
        made = [f"memory::desc md({braces(layout.shape)},", f"        {typed}, {last});"]
    else:
        tag, axes = _listed(layout, dtype, order)
        since = _newest(since, TAG_SINCE[tag])
        shape = braces([layout.shape[d] for d in axes])
        last = f"        {typed}, memory::format_tag::{tag})"
        made = [f"memory::desc md({shape},", f"{last};{_alias(tag, layout, spelling)}"]
        if axes != tuple(range(layout.rank)):
            made = [
                f"memory::desc md = memory::desc({shape},  // {_names(layout, axes)}",
                last,
                f"        .permute_axes({braces(axes)});",
            ]
    head = ['#include "dnnl.hpp"', "using dnnl::memory;", ""]
    needs = [f"// oneDNN {since} or newer"] if since and since != "2.0" else []
    lines = [*head, *needs, f"// logical: {_names(layout)}", *made]
    buffer = "memory(md, engine, static_cast<char *>(buffer)"
    return _text(lines, layout, dtype, "md.get_size()", buffer)


def onednn_c(
    layout: Layout, dtype: ElementType, order: DigitOrder | None = None, spelling: str = ""
) -> str:
    """C of version 3 that makes the ``dnnl_memory_desc_t``. Arguments as for ``onednn_code``."""
    view, data_type = _blocking(layout), _type(dtype)
    rank, since = layout.rank, _newest("3.0", TYPE_SINCE.get(data_type))
    if not view.inner_blocks:
        body = [
            f"const dnnl_dims_t dims = {braces(layout.shape)};",
            f"const dnnl_dims_t strides = {braces(view.outer_strides)};",
            "return dnnl_memory_desc_create_with_strides(",
            f"        &md, {rank}, dims, dnnl_{data_type}, strides);",
        ]
    else:
        tag, axes = _listed(layout, dtype, order)
        since = _newest(since, TAG_SINCE[tag])
        dims = f"const dnnl_dims_t dims = {braces([layout.shape[d] for d in axes])};"
        create = f"{rank}, dims, dnnl_{data_type}, dnnl_{tag});"
        made = f"        &md, {create}{_alias(tag, layout, spelling)}"
        body = [dims, "return dnnl_memory_desc_create_with_tag(", made]
        if axes != tuple(range(layout.rank)):
            body = [
                f"{dims}  // {_names(layout, axes)}",
                f"const int axes[] = {braces(axes)};",
                "dnnl_memory_desc_t tagged;",
                "dnnl_status_t status = dnnl_memory_desc_create_with_tag(",
                f"        &tagged, {create}",
                "if (status != dnnl_success) return status;",
                "status = dnnl_memory_desc_permute_axes(&md, tagged, axes);",
                "dnnl_memory_desc_destroy(tagged);",
                "return status;",
            ]
    head = ['#include "dnnl.h"', "", f"// oneDNN {since} or newer", "dnnl_memory_desc_t md;", ""]
    lines = [*head, f"// logical: {_names(layout)}", "dnnl_status_t make_md(void) {"]
    lines += [*(f"    {line}" for line in body), "}"]
    buffer = "dnnl_memory_create(&memory, md, engine, (char *)buffer"
    return _text(lines, layout, dtype, "dnnl_memory_desc_get_size(md)", buffer)


def _alias(tag: str, layout: Layout, spelling: str) -> str:
    """A comment with the tag in the names of the dimensions, where the text was read in these."""
    names = layout.dims
    small, own = _LETTERS[: len(names)], names.lower()
    alias = tag.translate(str.maketrans(small + small.upper(), own + names.upper()))
    return f"  // = {alias}" if alias != tag and spelling.endswith(alias) else ""


def _text(lines: Sequence[str], layout: Layout, dtype: ElementType, size: str, buffer: str) -> str:
    """The code, with the size of the memory in bytes and the offset into the buffer as comments."""
    more = [f"// {size} == {onednn_bytes(layout, dtype)}"]
    if layout.offset:
        if dtype.itemsize is None:
            raise CannotSayError("onednn.offset_byte", type=dtype.name)
        more.append(f"// {buffer} + {layout.offset * dtype.itemsize})")
    return "\n".join([*lines, *more]) + "\n"


@lru_cache(maxsize=64)
def onednn_bytes(layout: Layout, dtype: ElementType) -> int:
    """The size of the memory: the largest blocks·stride over the dimensions. Cached.

    Errors: CannotSayError. Source: memory_desc_wrapper::size.
    """
    view, _ = _blocking(layout), _type(dtype)
    if 0 in layout.shape:
        return 0
    # Made by strides, it has no padding.
    blocks = [g[0].extent for g in layout.digits] if view.inner_blocks else layout.shape
    reached = [n * s if n > 1 else 1 for n, s in zip(blocks, view.outer_strides, strict=True)]
    if view.inner_blocks:
        reached.append(math.prod(size for size, _ in view.inner_blocks))
    return dtype.size_bytes(max(reached))


def _newest(*versions: str | None) -> str:
    return max((v for v in versions if v), key=lambda v: tuple(map(int, v.split("."))))


@lru_cache(maxsize=64)
def _listed(
    layout: Layout, dtype: ElementType, order: DigitOrder | None
) -> tuple[str, tuple[int, ...]]:
    """A tag of the headers for this memory; its dimension i is the layout's dimension axes[i]."""
    try:
        tag = onednn.write(layout, dtype, order)
    except CannotSayError as error:
        raise CannotSayError("onednn.dense_blocks") from error
    same = tuple(range(layout.rank))
    if tag in TAG_SINCE:
        return tag, same
    by_form, by_blocks = _tables()
    for other in by_blocks.get((layout.rank, _blocks(tag)), ()):
        if order_is_layout(onednn.read(other).order, layout):  # sizes of 1 allow several orders
            return other, same
    twin = by_form.get(_anonymous(tag))
    if twin is None:
        raise CannotSayError("onednn.header", tag=tag)
    ours, theirs = _appearance(tag), _appearance(twin)
    return twin, tuple(ours[theirs.index(letter)] for letter in range(layout.rank))


@cache
def _tables() -> tuple[dict[str, str], dict[tuple[int, str], list[str]]]:
    """The first listed tag of each form, and the listed tags by rank and blocks."""
    by_form: dict[str, str] = {}
    by_blocks: dict[tuple[int, str], list[str]] = {}
    for tag in TAG_SINCE:
        by_form.setdefault(_anonymous(tag), tag)
        by_blocks.setdefault((len(_appearance(tag)), _blocks(tag)), []).append(tag)
    return by_form, by_blocks


def _blocks(tag: str) -> str:
    return tag.lstrip("abcdefghijklABCDEFGHIJKL")


def _appearance(tag: str) -> list[int]:
    """The dimensions in the order of their first letters, outermost first."""
    return [_LETTERS.index(c) for c in dict.fromkeys(re.sub(r"[0-9]", "", tag.lower()))]


def _anonymous(tag: str) -> str:
    """The tag with its letters renamed to a, b, c… in the order in which they appear."""
    small = "".join(_LETTERS[d] for d in _appearance(tag))
    names = _LETTERS[: len(small)]
    return tag.translate(str.maketrans(small + small.upper(), names + names.upper()))


def onednn_descriptor(layout: Layout, dtype: ElementType) -> str:
    """The blocking descriptor of version 2 in C. The strides are those of the outer blocks."""
    view, data_type = _blocking(layout), _type(dtype)
    if data_type in TYPE_SINCE:
        raise CannotSayError("onednn.type_2", type=dtype.name)
    sizes = [size for size, _ in view.inner_blocks]
    dims = [d for _, d in view.inner_blocks]
    lines = [
        '#include "dnnl.h"',
        "",
        "// oneDNN 2 alone: version 3 keeps these fields private",
        "dnnl_memory_desc_t md = {",
        f"    .ndims = {layout.rank},",
        f"    .dims = {braces(layout.shape)},  // {_names(layout)}",
        f"    .data_type = dnnl_{data_type},",
        f"    .padded_dims = {braces(layout.padded_shape)},",
        f"    .offset0 = {layout.offset},",
        "    .format_kind = dnnl_blocked,",
        "    .format_desc.blocking = {",
        f"        .strides = {braces(view.outer_strides)},",
        f"        .inner_nblks = {len(sizes)},",
        f"        .inner_blks = {braces(sizes or [0])},",
        f"        .inner_idxs = {braces(dims or [0])},",
        "    },",
        "};",
    ]
    return "\n".join(lines) + "\n"


def _names(layout: Layout, axes: Sequence[int] | None = None) -> str:
    return ", ".join(layout.dims if axes is None else (layout.dims[d] for d in axes))


def _type(dtype: ElementType) -> str:
    if dtype.onednn is None:
        raise CannotSayError("onednn.type", type=dtype.name)
    return dtype.onednn


@lru_cache(maxsize=64)
def _blocking(layout: Layout) -> Blocking:
    """The descriptor that the library takes. Cached: each piece of code needs it."""
    if layout.swizzle:
        raise CannotSayError("onednn.swizzle")
    if not 1 <= layout.rank <= _MAX_NDIMS:
        raise CannotSayError("onednn.rank", most=_MAX_NDIMS)
    if any(g.stride < 0 for digits in layout.digits for g in digits):
        raise CannotSayError("onednn.negative")
    view = blocking(layout)
    if view is None:
        raise CannotSayError("onednn.blocks")
    if not view.inner_blocks:
        _check_strides(layout, view.outer_strides)
    return view


def _check_strides(layout: Layout, strides: Sequence[int]) -> None:
    """Raise CannotSayError if a stride is shorter than the dimensions inside it. Strides of 0
    (broadcast) and strides of sizes of 1 are not checked."""
    if 0 in layout.shape:
        return
    least = 1
    for d in sorted(range(layout.rank), key=lambda d: (strides[d], layout.shape[d], d)):
        if strides[d] == 0 or layout.padded_shape[d] == 1:
            continue
        if strides[d] < least:
            raise CannotSayError("onednn.short_stride", dim=layout.dims[d])
        least = strides[d] * layout.shape[d]
