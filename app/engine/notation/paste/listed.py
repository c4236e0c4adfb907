"""The tensors that a pasted text names, as the callers get them: one by one, or a list of lines."""

from bisect import bisect_right
from dataclasses import dataclass, field, fields, replace
from itertools import accumulate, groupby
from typing import Any, Final

from ...model.errors import LayoutError
from .. import read_spec
from ..dialects.numpy_ import BytesSpec
from ..dialects.strides import StridesSpec
from ..dialects.tensorrt import VectorStrides
from .found import Base, Item, plausible_itemsizes

MAX_TENSORS: Final = 100


@dataclass(frozen=True, slots=True)
class FoundTensor:
    """One tensor of a pasted text; None for what the text does not say.

    ``role``: its name in the text, as src or x; ``sizes as NHWC`` where they may be in the order of
    that name or of N, C, H, W, and both are listed. ``source``: the primitive of a log's line.
    ``line``: the first line that names it, from 1. ``times``: how often the text repeats it.
    ``layout``: as the field ``layout`` of /describe, for this ``shape`` and ``dtype``. ``dims``:
    letters of the dimensions, where the source gives them a meaning, and a, b, … of strides of
    oneDNN. ``itemsizes``: for strides in bytes without an element type, the bytes of an element
    that divide them, likeliest first; the one size that a pointer of CuTe says, as ``ptr[16b]``.
    ``target``: for the source of a reorder, the index of the tensor that it writes. ``problem``:
    the reason why the tensor cannot be read. ``system``: whose text it is. ``copied``: where the
    text takes views of a tensor and they need a copy, why; the layout is that of the copy.
    ``base``: where its calls take views that change the order or the number of the elements, the
    tensor that they are taken of, and the views as steps; none of them needs a copy.
    ``strides``: those of the layout, in the unit of its text, where it is a list of strides.
    ``in_elements``: the layout if strides that are read as bytes count elements, where the text
    says neither. ``least_offset``: the offset of the layout, in the unit of its text, where the
    text names none and some strides are below 0: the least that keeps all addresses from 0.
    """

    role: str | None
    source: str | None
    line: int
    times: int
    shape: tuple[int, ...] | None
    dtype: str | None
    layout: str | None
    dims: str | None
    itemsizes: tuple[int, ...] | None
    target: int | None
    problem: str | None
    system: str | None
    copied: str | None
    base: Base | None
    in_elements: str | None
    least_offset: int | None
    strides: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Read:
    """The parts of a tensor, None for those that the text does not name.

    ``layout``: as the field ``layout`` of /describe, for this ``shape`` and ``dtype``. ``system``:
    the dialect that recognises the whole text, None for pasted text. ``tensors``: all that a pasted
    text names, at most the first 100; the fields before are those of the first that can be read.
    ``left_out``: how many more there are. ``steps``: the steps of views without a tensor, as /view
    takes them. ``unread``: the parts of a pasted text that no tensor explains, at most 20 of at
    most 100 characters. ``strides``: those of the layout, in the unit of its text, where it is a
    list of strides. ``least_offset``: as in FoundTensor.
    """

    shape: tuple[int, ...] | None
    dtype: str | None
    layout: str | None
    system: str | None
    tensors: tuple[FoundTensor, ...] = ()
    left_out: int = 0
    steps: tuple[dict[str, Any], ...] = ()
    unread: tuple[str, ...] = ()
    least_offset: int | None = None
    strides: tuple[int, ...] | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "strides", _strides_of(self.layout))


def _strides_of(layout: str | None) -> tuple[int, ...] | None:
    """The numbers of a layout's text where it is a list of strides, with or without an offset."""
    try:
        spec = None if layout is None else read_spec(layout)
    except LayoutError:  # the tensor's own error says more
        return None
    return spec.strides if isinstance(spec, StridesSpec | BytesSpec | VectorStrides) else None


def listed(text: str, items: list[Item]) -> tuple[tuple[FoundTensor, ...], int]:
    """The tensors with their lines, and how many are beyond the most that are listed. A line of a
    log that says the same as one before counts there: an execution often repeats its creation."""
    ends = list(accumulate(len(line) + 1 for line in text.split("\n")))
    found: list[FoundTensor] = []
    begins: dict[tuple[FoundTensor, ...], int] = {}
    for _, group in groupby(items, key=lambda item: (item.group, item.group is None and item.at)):
        line = list(group)
        same = tuple(map(tensor_of, line))
        begin = begins.setdefault(same, len(found))
        if begin == len(found):
            number = 1 + bisect_right(ends, line[0].at)
            reorder = line[0].source == "reorder" and not any(item.error for item in line)
            target = begin + 1 if reorder and len(line) == 2 else None
            found += [
                replace(one, line=number, target=target if at == 0 else None)
                for at, one in enumerate(same)
            ]
        else:
            for at in range(begin, begin + len(same)):
                found[at] = replace(found[at], times=found[at].times + 1)
    listed = [
        replace(one, target=None) if one.target is not None and one.target >= MAX_TENSORS else one
        for one in found[:MAX_TENSORS]
    ]
    return tuple(listed), len(found) - len(listed)


def tensor_of(item: Item) -> FoundTensor:
    sizes: tuple[int, ...] | None = None
    if item.itemsize is not None:
        sizes = (item.itemsize,)
    elif item.byte_strides is not None:
        sizes = plausible_itemsizes(item.shape, item.byte_strides)
    own: dict[str, Any] = {"line": 0, "times": 1, "itemsizes": sizes, "target": None}
    own["problem"] = None if item.error is None else item.error.message
    own["strides"] = _strides_of(item.layout)
    names = [each.name for each in fields(FoundTensor) if each.name not in own]
    return FoundTensor(**own, **{name: getattr(item, name) for name in names})
