"""What the terminal shows: the answers as tables and text, and a progress bar."""

import dataclasses
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import rich.progress as parts
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..contract.answers import MAX_VALUES
from ..contract.schedules import ScheduleJson
from ..contract.shapes import OwnerJson, ViewJson
from ..engine.description.description import Description
from ..engine.description.tensor import Tensor
from ..engine.model.digits import digit_values
from ..engine.model.layout import Layout
from ..engine.notation.paste.reading import Read
from ..engine.notation.slices import Slice

_MUTED = "dim"
# Properties that have other words here.
_WORDS = {"padded": "padding or gaps", "dense": "dense (PyTorch)"}
_LISTED_ELEMS = 256
_INDENT = (0, 0, 0, 2)
Answer = dict[str, Any]
_COUNTED = Text("Counted, not measured.", style="dim")
Advance = Callable[[int], None]

BYTES: tuple[parts.ProgressColumn, ...] = (parts.DownloadColumn(), parts.TransferSpeedColumn())
ITEMS: tuple[parts.ProgressColumn, ...] = (parts.MofNCompleteColumn(),)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Raise, as any other writer does; rich would end the program."""
        raise BrokenPipeError


def console(*, stderr: bool = False) -> Console:
    """A console that uses colour only on terminals, respects NO_COLOR and prints markup as text."""
    return _Console(stderr=stderr, highlight=False, markup=False, emoji=False)


@contextmanager
def bar(
    title: str, total: int, columns: tuple[parts.ProgressColumn, ...], *, shown: bool
) -> Iterator[Advance]:
    """Yields a function to call with the progress since the last call, in the unit of ``total``.

    Draws nothing if ``shown`` is false or stderr is not a terminal. Clears the bar at the end.
    """
    if not shown or not sys.stderr.isatty():
        yield lambda _done: None
        return
    screen = console(stderr=True)
    shown_columns = (
        parts.TextColumn("{task.description}", markup=False),
        parts.BarColumn(),
        *columns,
        parts.TimeRemainingColumn(),
    )
    with parts.Progress(*shown_columns, console=screen, transient=True) as progress:
        task = progress.add_task(title, total=total)
        yield lambda done: progress.advance(task, done)


def columns(
    *headings: str, right: Sequence[int] = (), rows: Iterable[Iterable[str | Text]] = ()
) -> Table:
    """A table without lines. ``right``: indices of the right-aligned columns."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 3, 0, 0))
    for i, heading in enumerate(headings):
        table.add_column(
            heading, justify="right" if i in right else "left", overflow="fold", no_wrap=i in right
        )
    for row in rows:
        table.add_row(*row)
    return table


def pairs(rows: Iterable[tuple[str | Text, str]], *, right: bool = False) -> Table:
    table = columns("", "", right=(1,) if right else (), rows=rows)
    table.show_header = False
    return table


def section(title: str, body: RenderableType) -> RenderableType:
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
        sizes = f"{description.shape[d]:,}", f"{description.padded_shape[d]:,}"
        listed = "  ".join(f"{g.extent:,} x {g.stride:,}" for g in digits)
        table.add_row(description.dims[d], *sizes, stride, byte_stride, listed)
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


def properties(description: Description) -> Table:
    """The properties, grouped into yes, no, unknown and n/a, by the words of the page."""
    holding: dict[str, list[str]] = {"yes": [], "no": [], "unknown": [], "n/a": []}
    for name, held in dataclasses.asdict(description.properties).items():
        word = "unknown" if held is None else "yes" if held else "no"
        if name in description.not_applicable:
            word = "n/a"
        holding[word].append(_WORDS.get(name, name))
    return pairs(
        (Text(word, style=_MUTED), ", ".join(held)) for word, held in holding.items() if held
    )


def description_sections(found: Description) -> Iterable[RenderableType]:
    """A whole description, without its grids."""
    yield headline(found)
    if found.warnings:
        yield section("beware", Text("\n".join(found.warnings)))
    if found.shape:
        yield section("dimensions", dimensions(found))
    yield section("buffer", buffer(found))
    yield section("properties", properties(found))
    named = (
        (system, name.name, Text(name.reason or "", style=_MUTED))
        for system, fitting in found.names.items()
        for name in fitting
    )
    if found.names:
        yield section("names", columns("system", "name", "note", rows=named))
    written = (
        (system, Text(said["text"]) if "text" in said else Text(said["reason"], style=_MUTED))
        for system, said in found.notations.items()
    )
    yield section("notations", columns("system", "text", rows=written))


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
    rows = (
        (_tuple(at), f"{n:,}", f"{tensor.dtype.byte_offset(n):,}", sum_text(tensor.layout, at))
        for at, n in zip(coordinates, offsets, strict=True)
    )
    return columns("coordinate", "offset", "byte", "sum", right=(1, 2), rows=rows)


def owners_table(owners: Iterable[OwnerJson]) -> Table:
    table = columns("offset", "kind", "count", "coordinates", right=(0, 2))
    for owner in owners:
        listed = "  ".join(map(_tuple, owner["coordinates"]))
        more = "  ..." if owner["count"] > len(owner["coordinates"]) else ""
        numbers = f"{owner['offset']:,}", owner["kind"], f"{owner['count']:,}"
        table.add_row(*numbers, listed + more)
    return table


def slice_summary(what: Slice) -> RenderableType:
    """The shape, the view if there is one, and the addresses, shortened if there are many."""
    view = what.view()
    viewed = "none: no layout has these addresses" if view is None else str(view)
    facts = _muted_pairs({"shape": _tuple(what.shape), "view": viewed})
    listed = "none"
    if what.elements > MAX_VALUES:
        listed = f"{what.elements:,}: too many to list"
    elif what.elements:
        listed = np.array2string(what.offsets(), threshold=_LISTED_ELEMS)
    return Group(facts, section("offsets", Text(listed)))


def read_sections(found: Read) -> Iterator[RenderableType]:
    """The parts of the first tensor that a text names, then all of its tensors."""
    shape = None if found.shape is None else _tuple(found.shape)
    said = {"shape": shape, "dtype": found.dtype, "layout": found.layout, "system": found.system}
    if found.least_offset:
        said["offset"] = f"not said: +{found.least_offset}, the least that these strides need"
    yield _muted_pairs({name: value or "not said" for name, value in said.items()})
    if found.tensors:
        table = columns("line", "name", "from", "shape", "dtype", "layout", "times", right=(0, 6))
        for each in found.tensors:
            sizes = "-" if each.shape is None else _tuple(each.shape)
            words = (each.role, each.source, sizes, each.dtype, each.problem or each.layout)
            table.add_row(str(each.line), *(word or "-" for word in words), str(each.times))
        yield section(count(len(found.tensors) + found.left_out, "tensor"), table)
    if copies := [f"line {each.line}: {each.copied}" for each in found.tensors if each.copied]:
        yield section("copies", Text("\n".join(copies)))
    either = [f"line {each.line}: {each.in_elements}" for each in found.tensors if each.in_elements]
    if either:
        yield section("if the strides count elements", Text("\n".join(either)))
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
        source = "zeros" if each.source_address is None else f"{each.source_address:,}"
        numbers = f"{each.target_address:,}", f"{each.units:,}", str(each.unit_bits)
        kernel = made["moves"][each.move].kernel
        table.add_row(f"{each.step:,}", kernel, _tuple(each.indices), source, *numbers)
    yield section("steps, addresses in elements", table)


def _muted_pairs(facts: Mapping[str, str]) -> Table:
    return pairs((Text(name, style=_MUTED), fact) for name, fact in facts.items())


def _tuple(coordinate: Sequence[int]) -> str:
    return "(" + ", ".join(map(str, coordinate)) + ")"


def walk_sections(found: Answer) -> Iterator[RenderableType]:
    """What a walk costs, and all orders of the loops if there are."""
    lines, pages, jumps, stopped = (found[name] for name in ("lines", "pages", "jumps", "stopped"))
    least = set(stopped["at_least"]) if stopped else set()
    facts = [("loops", found["order"] or "-"), ("accesses", f"{found['accesses']:,}")]
    for kind, counts in (("lines", lines), ("pages", pages)):
        for name, value in counts.items():
            said = "page look-ups" if (kind, name) == ("pages", "fetched") else f"{kind} {name}"
            facts.append((said, _number(value, at_least=f"{kind}.{name}" in least)))
    for name, value in jumps.items():
        facts.append((f"{name} jump", "-" if value is None else f"{value:,}"))
    yield pairs(facts, right=True)
    if stopped:
        yield Text(
            f"The counter stopped after {stopped['accesses']:,} accesses; >= is a lower bound."
        )
    if orders := found.get("orders"):
        ranked = columns("loops", "lines fetched", "page look-ups", "", right=(1, 2))
        for each in orders:
            fetched = {"lines": each.lines_fetched, "pages": each.pages_fetched}
            bounds = each.stopped.at_least if each.stopped else ()
            numbers = (_number(n, at_least=f"{of}.fetched" in bounds) for of, n in fetched.items())
            ranked.add_row(each.order or "-", *numbers, "best" if each.best else "")
        yield section("Orders of the loops", ranked)
        if any(each.stopped for each in orders):
            yield Text("Orders with >= were not counted to the end; they are by lines per access.")
    yield _COUNTED


def warp_sections(found: Answer) -> Iterator[RenderableType]:
    """What an access of a warp costs, and what removes its conflicts if that was asked."""
    active = sum(lane["address"] is not None for lane in found["lanes"])
    facts = [("active lanes", f"{active} of {len(found['lanes'])}")]
    facts.append(("lane bytes", f"{found['lane_bytes']:,}"))
    counted = [("one warp", found)]
    if whole := found["all"]:
        counted.append((f"all {whole['warps']:,} warps", whole))
    for whose, counts in counted:
        facts += [
            (f"{name.replace('_', ' ')}, {whose}", f"{counts[name]:,}")
            for name in ("sectors", "ideal_sectors", "passes", "ideal_passes", "conflicts")
            if counts[name] is not None
        ]
    yield pairs(facts, right=True)
    suggestion = found.get("suggestion")
    if suggestion is not None:
        fixes = [suggestion["padding"], *suggestion["swizzles"]]
        listed = columns("layout", "along", "warps", "passes", "conflicts", right=(2, 3, 4))
        for fix in filter(None, fixes):
            for at, access in enumerate(fix["accesses"]):
                name = "" if at else fix["layout"]
                numbers = (access.warps, access.passes, access.conflicts)
                listed.add_row(name, access.along, *map(str, numbers))
        body: RenderableType = listed if listed.row_count else Text("none found, or none needed")
        yield section("Layouts without conflicts, counted over all warps", body)
    yield _COUNTED


def _number(value: int, *, at_least: bool) -> str:
    return f">= {value:,}" if at_least else f"{value:,}"
