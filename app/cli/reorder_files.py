"""Reorder files: which tensors, from where to where, then the bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import RenderableType
from rich.filesize import decimal

from ..engine import answers
from ..engine.answers import Answer
from ..engine.description.description import describe
from ..engine.description.tensor import Tensor, parse_target
from ..engine.errors import Described, LayoutError
from ..engine.layout import Layout
from ..engine.notation import Written
from ..engine.reorders import Plan, plan, reordered
from ..files import safetensors
from ..files.stored import Stored, logical_shape, source_layout
from . import tables
from .progress import Advance
from .refusals import printable, reading
from .tensor_files import Part, TensorFile
from .whole_file import Bytes, written_whole

Backends = dict[str | None, str]

_SLAB_BYTES = 1 << 23
_NAMES_TOLD = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """What is typed about the tensors: layouts in any notation, logical sizes, names."""

    source: str
    target: str
    shape: tuple[int, ...] | None
    dims: str | None
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """One file to write. ``plans``: by tensor; the others keep their bytes."""

    file: TensorFile
    plans: dict[str | None, Plan]
    header: bytes
    parts: tuple[Part, ...]

    @property
    def size_bytes(self) -> int:
        """Bytes of the file to write."""
        return len(self.header) + sum(part.size_bytes for part in self.parts)

    def run(
        self, path: Path, *, threads: int | None, backend: str | None, advance: Advance
    ) -> Backends:
        """Write ``path``; ``advance`` takes the bytes written since its last call.

        Returns what moved the bytes of each reordered tensor. Takes memory for a few tiles,
        whatever the size of the files. Errors: LayoutError, OSError.
        """
        used: Backends = {}
        with written_whole(path, self.size_bytes) as content:
            content[: len(self.header)] = np.frombuffer(self.header, dtype=np.uint8)
            for part, target in zip(self.file.parts, self.parts, strict=True):
                source = self.file.data(part)
                out = content[target.begin : target.begin + target.size_bytes]
                what = self.plans.get(part.name)
                if what is None or part.stored is None:
                    _copy(source, out, advance)
                    continue
                dtype = part.stored.dtype
                done = reordered(
                    _bits(source, dtype.itemsize), what.source, what.target,
                    out=_bits(out, dtype.itemsize), dtype=dtype,
                    threads=threads, backend=backend, progress=advance,
                )  # fmt: skip
                used[part.name] = done.backend
        return used

    def answer(self, used: Backends) -> Answer:
        """The API's answer without values; for a .safetensors file one of each tensor."""
        answers_by_name: dict[str | None, Answer] = {}
        for part in self.parts:
            if part.name in self.plans and part.stored is not None:
                told = answers.reordered(self.plans[part.name], part.stored.dtype)
                told["plan"]["backend"] = used[part.name]
                answers_by_name[part.name] = told
        if self.file.format != "safetensors":
            return answers_by_name[None]
        return {
            "tensors": [{"name": name, **told} for name, told in answers_by_name.items()],
            "unchanged": [p.name for p in self.parts if p.name not in self.plans],
        }


def planned(file: TensorFile, asked: Asked) -> Job:
    """What to do with each tensor of a file.

    Without names it is every tensor whose rank fits the source layout, and there must be one.
    Errors: LayoutError naming tensor, shape, layout, target or dims.
    """
    chosen = _chosen(file, asked)
    if asked.shape is not None and len(chosen) != 1:
        raise LayoutError("shape", asked.shape, "--tensor with --shape: sizes are of one tensor")
    plans = {stored.name: _plan(stored, asked) for stored in chosen}
    header, parts = file.reordered({name: what.target for name, what in plans.items()})
    return Job(file, plans, header, parts)


def report(job: Job, path: Path, used: Backends, seconds: float) -> Iterator[RenderableType]:
    """What was written to ``path``: the plan of one tensor, a table of several."""
    done = [
        (part.stored, job.plans[part.name])
        for part in job.parts
        if part.name in job.plans and part.stored is not None
    ]
    written = f"{len(done)} tensors reordered"
    if len(done) == 1:
        stored, what = done[0]
        yield tables.headline(describe(what.source, stored.dtype))
        yield tables.headline(describe(what.target, stored.dtype))
        yield str(what)
        written = f"{stored.shape} {stored.dtype.name}"
    else:
        table = tables.columns("tensor", "dtype", "logical", "memory", "kernel")
        for stored, what in done:
            shapes = str(what.source.shape), str(stored.shape)
            table.add_row(printable(stored.name or ""), stored.dtype.name, *shapes, what.kernel)
        yield table
    copied = len(job.parts) - len(done)
    also = f", {tables.count(copied, 'tensor')} copied unchanged" if copied else ""
    by = " and ".join(sorted(set(used.values())))
    yield f"{path}: {written}{also}; {decimal(job.size_bytes)} in {seconds:.2g} s by {by}"


def _chosen(file: TensorFile, asked: Asked) -> list[Stored]:
    known = {part.name: part.stored for part in file.parts}
    if asked.names:
        return [_named(known, name) for name in dict.fromkeys(asked.names)]
    if file.format != "safetensors" or len(known) == 1:
        return [_named(known, name) for name in known]
    if asked.shape is not None:
        return [stored for stored in known.values() if stored]
    fitting = [stored for stored in known.values() if stored and _fits(stored, asked)]
    if not fitting:
        raise LayoutError(
            "tensor", Described(f"{len(known)} tensors, none of a rank that fits --from"),
            "--tensor NAME with --shape, or another layout",
        )  # fmt: skip
    return fitting


def _named(known: dict[str | None, Stored | None], name: str | None) -> Stored:
    if name not in known:
        names = [known_name for known_name in known if known_name is not None]
        more = len(names) - _NAMES_TOLD
        expected = "one of " + ", ".join(names[:_NAMES_TOLD])
        if not names:
            expected = "no --tensor: the file holds one, without a name"
        elif more > 0:
            expected += f" and {more} more"
        raise LayoutError("tensor", name, expected)
    stored = known[name]
    if stored is None:
        raise LayoutError(
            f"tensor {name}", Described("an element type that the engine has not"),
            "one of " + ", ".join(safetensors.TYPES),
        )  # fmt: skip
    return stored


def _fits(stored: Stored, asked: Asked) -> bool:
    with reading(asked.source):
        try:
            logical_shape(asked.source, stored, asked.dims)
        except LayoutError as error:
            if error.field != "shape":
                raise
            return False
        return True


def _plan(stored: Stored, asked: Asked) -> Plan:
    try:
        with reading(asked.source):
            source = source_layout(asked.source, stored, asked.shape, asked.dims)
        with reading(asked.target):
            return plan(source, _target(source, stored, asked))
    except LayoutError as error:
        # A mark points into what was typed, whichever the tensor.
        if stored.name is None or error.position is not None:
            raise
        raise error.under(f"tensor {stored.name}: {error.field}") from None


def _target(source: Layout, stored: Stored, asked: Asked) -> Layout:
    buffer = Tensor(
        Written(source), stored.dtype, source.buffer_elements, asked.source, source.shape
    )
    return parse_target(asked.target, buffer).layout


def _bits(content: Bytes, itemsize: int | None) -> Bytes:
    """Elements as unsigned integers of their size; int4 stays packed bytes."""
    return content if itemsize is None else content.view(f"u{itemsize}")


def _copy(source: Bytes, out: Bytes, advance: Advance) -> None:
    for start in range(0, len(source), _SLAB_BYTES):
        slab = source[start : start + _SLAB_BYTES]
        out[start : start + _SLAB_BYTES] = slab
        advance(len(slab))
