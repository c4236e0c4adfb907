"""Formats the answers as tables and text."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..contract.answers import MAX_VALUES
from ..contract.schedules import ScheduleJson
from ..contract.shapes import OwnerJson, ViewJson
from ..engine.description.description import Description
from ..engine.description.properties import Properties
from ..engine.description.tensor import Tensor
from ..engine.model.digits import digit_values
from ..engine.model.layout import Layout
from ..engine.notation.formats import NamedFormat
from ..engine.notation.paste.reading import Read
from ..engine.notation.slices import Slice

_MUTED = "dim"
_WORDS = {"padded": "padding or gaps"}  # properties that have other words here
_LISTED_ELEMS = 256
_INDENT = (0, 0, 0, 2)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Raise, as any other writer does; rich would end the program."""
        raise BrokenPipeError


def console(*, stderr: bool = False) -> Console:
    """A console that uses colour only on terminals, respects NO_COLOR and prints markup as text."""
    return _Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def columns(*headings: str, right: Sequence[int] = ()) -> Table:
    """An empty table without lines. ``right``: indices of the right-aligned columns."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 3, 0, 0))
    for i, heading in enumerate(headings):
        table.add_column(
            heading, justify="right" if i in right else "left", overflow="fold", no_wrap=i in right
        )
    return table


def pairs(*, right: bool = False) -> Table:
    """An empty table of names and facts, without headings."""
    table = columns("", "", right=(1,) if right else ())
    table.show_header = False
    return table


def section(title: str, body: RenderableType) -> RenderableType:
    """A heading with its body indented below."""
    return Group(Text(""), Text(title, style="bold"), Padding(body, _INDENT, expand=False))


def count(n: int, unit: str) -> str:
    """``1 element``, ``1,152 elements``."""
    return f"{n:,} {unit}{'' if n == 1 else 's'}"


def headline(description: Description) -> Text:
    """Layout, element type and logical shape on one line."""
    named = ", ".join(
        f"{name}={size}" for name, size in zip(description.dims, description.shape, strict=True)
    )
    text = Text(description.layout, style="bold")
    text.append(f"  {description.dtype}  ({named})", style="default")
    if description.offset:
        text.append(f"  offset {description.offset:,}", style="default")
    return text


def dimensions(description: Description) -> Table:
    """One row per logical dimension, strides in elements and in bytes."""
    table = columns(
        "dim", "size", "padded", "stride", "bytes", "digits (extent x stride)", right=(1, 2, 3, 4)
    )
    for d, digits in enumerate(description.digits):
        stride, byte_stride = (
            "-" if strides is None else f"{strides[d]:,}"
            for strides in (description.strides, description.byte_strides)
        )
        table.add_row(
            description.dims[d],
            f"{description.shape[d]:,}",
            f"{description.padded_shape[d]:,}",
            stride,
            byte_stride,
            "  ".join(f"{g.extent:,} x {g.stride:,}" for g in digits),
        )
    return table


def buffer(description: Description) -> RenderableType:
    """The buffer's size, then its size by the rule of each system, or why it has none there."""
    own = description.buffer
    sizes = Text("  ").join(
        Text(f"{system} {size:,}") for system, size in own.per_system.items() if size is not None
    )
    none = [Text(f"{system}: {why}", style=_MUTED) for system, why in own.reasons.items()]
    total = Text(f"{count(own.elements, 'element')}, {count(own.bytes, 'byte')}")
    return Group(total, *([sizes] if sizes else []), *none)


def properties(found: Properties) -> Table:
    """The properties, grouped into yes, no and undecided."""
    table = pairs()
    answers = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
    for word, answer in (("yes", True), ("no", False), ("undecided", None)):
        holding = [_WORDS.get(name, name) for name, value in answers.items() if value is answer]
        if holding:
            table.add_row(Text(word, style=_MUTED), ", ".join(holding))
    return table


def names(description: Description) -> Table:
    """Every named format that fits, with the reason if there are several."""
    table = columns("system", "name", "note")
    for system, fitting in description.names.items():
        for name in fitting:
            table.add_row(system, name.name, Text(name.reason or "", style=_MUTED))
    return table


def notations(description: Description) -> Table:
    """The layout in every dialect, or the reason why the dialect cannot write it."""
    table = columns("system", "text")
    for system, words in description.notations.items():
        said = Text(words["text"]) if "text" in words else Text(words["reason"], style=_MUTED)
        table.add_row(system, said)
    return table


def description_sections(found: Description) -> Iterable[RenderableType]:
    """A whole description, without its grids."""
    yield headline(found)
    if found.warnings:
        yield section("beware", Text("\n".join(found.warnings)))
    if found.shape:
        yield section("dimensions", dimensions(found))
    yield section("buffer", buffer(found))
    yield section("properties", properties(found.properties))
    if found.names:
        yield section("names", names(found))
    yield section("notations", notations(found))


def sum_text(layout: Layout, coordinate: Sequence[int]) -> str:
    """The sum that gives an address: ``1*6 + 0*3 + 1*1``, outermost digits first.

    With a swizzle it is written as in CuTe: ``Swizzle<2,0,3>(1*8 + 2*1)``.
    """
    terms = [str(layout.offset)] if layout.offset else []
    for index, digits in zip(coordinate, layout.digits, strict=True):
        terms += [f"{value}*{stride}" for value, stride in digit_values(digits, index)]
    total = " + ".join(terms) or "0"
    s = layout.swizzle
    return f"Swizzle<{s.bits},{s.base},{s.shift}>({total})" if s else total


def offsets_table(
    tensor: Tensor, coordinates: Sequence[Sequence[int]], offsets: Sequence[int]
) -> Table:
    """Coordinates, addresses in elements and bytes, and the sums that give them."""
    table = columns("coordinate", "offset", "byte", "sum", right=(1, 2))
    for coordinate, offset in zip(coordinates, offsets, strict=True):
        table.add_row(
            _tuple(coordinate),
            f"{offset:,}",
            f"{tensor.dtype.byte_offset(offset):,}",
            sum_text(tensor.layout, coordinate),
        )
    return table


def owners_table(owners: Iterable[OwnerJson]) -> Table:
    """Addresses, their kinds, and the coordinates that own them."""
    table = columns("offset", "kind", "count", "coordinates", right=(0, 2))
    for owner in owners:
        listed = owner["coordinates"]
        more = "  ..." if owner["count"] > len(listed) else ""
        table.add_row(
            f"{owner['offset']:,}",
            owner["kind"],
            f"{owner['count']:,}",
            "  ".join(map(_tuple, listed)) + more,
        )
    return table


def slice_summary(what: Slice) -> RenderableType:
    """The shape, the view if there is one, and the addresses, shortened if there are many."""
    view = what.view()
    facts = pairs()
    facts.add_row(Text("shape", style=_MUTED), _tuple(what.shape))
    facts.add_row(
        Text("view", style=_MUTED),
        "none: no layout has these addresses" if view is None else str(view),
    )
    listed = "none"
    if what.elements > MAX_VALUES:
        listed = f"{what.elements:,}: too many to list"
    elif what.elements:
        listed = np.array2string(what.offsets(), threshold=_LISTED_ELEMS)
    return Group(facts, section("offsets", Text(listed)))


def read_sections(found: Read) -> Iterator[RenderableType]:
    """The parts of the first tensor that a text names, then all of its tensors."""
    facts = pairs()
    shape = None if found.shape is None else _tuple(found.shape)
    said = {"shape": shape, "dtype": found.dtype, "layout": found.layout, "system": found.system}
    for name, value in said.items():
        facts.add_row(Text(name, style=_MUTED), "not said" if value is None else value)
    yield facts
    if found.tensors:
        table = columns("line", "name", "from", "shape", "dtype", "layout", "times", right=(0, 6))
        for each in found.tensors:
            sizes = "-" if each.shape is None else _tuple(each.shape)
            words = (each.role, each.source, sizes, each.dtype, each.problem or each.layout)
            table.add_row(str(each.line), *(word or "-" for word in words), str(each.times))
        yield section(count(len(found.tensors) + found.left_out, "tensor"), table)
    if copies := [f"line {each.line}: {each.copied}" for each in found.tensors if each.copied]:
        yield section("copies", Text("\n".join(copies)))
    if found.left_out:
        yield Text(f"{found.left_out:,} more are not listed.", style=_MUTED)
    if found.steps:
        yield section("steps of a view", Text("\n".join(map(_step_text, found.steps))))
    if found.unread:
        yield section("not read", Text("\n".join(found.unread)))


def _step_text(step: Mapping[str, object]) -> str:
    given = ", ".join(f"{name}={value}" for name, value in step.items() if name != "op")
    return f"{step['op']}({given})"


def view_sections(texts: Sequence[str], found: ViewJson) -> Iterator[RenderableType]:
    """The layout after each step, then the description of the last, or why there is none."""
    table = columns("step", "dims", "shape", "strides")
    for text, each in zip(texts, found["results"], strict=False):
        strides = "in blocks" if each["strides"] is None else _tuple(each["strides"])
        offset = f" from {each['offset']:,}" if each["offset"] else ""
        table.add_row(text, each["dims"], _tuple(each["shape"]), strides + offset)
    yield table
    if found["tensor"] is not None:
        yield Text("")
        yield from description_sections(found["tensor"])
    else:
        yield Text(str(found["reason"]))


def schedule_sections(found: ScheduleJson) -> Iterator[RenderableType]:
    """How many steps a copy has, and some of them."""
    made = found["plan"]
    yield Text(
        f"{count(found['steps'], 'step')}, {count(made['elements'], 'element')}, "
        f"{count(made['bytes_read'], 'byte')} read, {made['bytes_written']:,} written"
    )
    table = columns(
        "step", "kernel", "indices", "from", "to", "units", "bits", right=(0, 3, 4, 5, 6)
    )
    for each in found["window"]:
        table.add_row(
            f"{each.step:,}",
            made["moves"][each.move].kernel,
            _tuple(each.indices),
            "zeros" if each.source_address is None else f"{each.source_address:,}",
            f"{each.target_address:,}",
            f"{each.units:,}",
            str(each.unit_bits),
        )
    yield section("steps, addresses in elements", table)


def formats_table(formats: Iterable[NamedFormat]) -> Table:
    """The catalogue of named formats."""
    table = columns("system", "format", "dims", "what it is")
    for f in formats:
        table.add_row(f.system, f.name, f.dims, f.summary)
    return table


def _tuple(coordinate: Sequence[int]) -> str:
    return "(" + ", ".join(map(str, coordinate)) + ")"
