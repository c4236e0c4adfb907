"""The cases: pairs of layouts, dtypes and shapes, for two sizes of the source."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

Size = Literal["64 MB", "1 MB"]
Placed = Literal["own", "line", "item"]
# How many bytes after a line of memory both buffers begin: as NumPy's own large arrays do, at it,
# and one item after it, as slices do (None). The first one makes the headline.
PLACEMENTS: dict[Placed, int | None] = {"own": 16, "line": 0, "item": None}

# Each layout by Stridescope's name, and oneDNN's tag for the same bytes.
TAGS = {
    "NCHW": "abcd",
    "NHWC": "acdb",
    "NCHW4": "aBcd4b",
    "NCHW32": "aBcd32b",
    "CHWN4": "Bcda4b",
    "oihw": "abcd",
    "OIhw4i16o4i": "ABcd4b16a4b",
}
PLAIN_PAIRS = [("NCHW", "NHWC"), ("NHWC", "NCHW")]
BLOCKED_PAIRS = [
    ("NCHW", "NCHW4"),
    ("NCHW4", "NCHW"),
    ("NCHW", "NCHW32"),
    ("NCHW32", "NCHW"),
    ("NCHW", "CHWN4"),
    ("NCHW4", "NCHW32"),
]
ITEM_BYTES = {"float32": 4, "float16": 2, "int8": 1}
_SOURCE_BYTES: dict[Size, int] = {"64 MB": 64_000_000, "1 MB": 1_000_000}
_SIDES = {64: 56, 256: 28, 30: 56, 3: 224}  # channels -> height and width
# With a batch of 1, CHWN4 is the same as NCHW4. Smaller images at 1 MB make the batch larger.
_SMALL_SIDES = {64: 14, 256: 7, 30: 14, 3: 32}
_QUICK_CHANNELS = (64, 30)
# (O, I) of weights about as large as the size, by kernel side.
_WEIGHTS: dict[tuple[str, Size], dict[int, tuple[int, int]]] = {
    ("float32", "64 MB"): {3: (1280, 1280), 1: (4096, 4096)},
    ("float16", "64 MB"): {3: (1280, 2560), 1: (4096, 8192)},
    ("int8", "64 MB"): {3: (2560, 2560), 1: (8192, 8192)},
    ("float32", "1 MB"): {3: (128, 256), 1: (512, 512)},
    ("float16", "1 MB"): {3: (256, 256), 1: (512, 1024)},
    ("int8", "1 MB"): {3: (256, 512), 1: (1024, 1024)},
}


@dataclass(frozen=True, slots=True)
class Case:
    """One row of the table; ``shape`` is logical: N, C, H, W or O, I, H, W."""

    source: str
    target: str
    dtype: str
    shape: tuple[int, ...]
    size: Size
    placed: Placed = "own"

    @property
    def begins_at(self) -> int:
        """Bytes after a line of memory where the buffers begin."""
        begin = PLACEMENTS[self.placed]
        return ITEM_BYTES[self.dtype] if begin is None else begin

    @property
    def label(self) -> str:
        """The text in which `--only` searches."""
        dims = "x".join(map(str, self.shape))
        return f"{self.source}->{self.target} {self.dtype} {dims} {self.size} {self.placed}"

    @property
    def blocked(self) -> bool:
        """Whether the source or the target has blocks."""
        return (self.source, self.target) not in PLAIN_PAIRS

    @property
    def weak_spot(self) -> bool:
        """int8 to CHWN4, or three channels: compared with the peers, but not with the limits."""
        into_chwn4 = self.dtype == "int8" and self.target == "CHWN4"
        return into_chwn4 or (self.shape[1] == 3 and self.source != "oihw")


def cases(*, quick: bool, only: str) -> Iterator[Case]:
    """The cases whose label contains ``only``; ``quick`` leaves out most channel counts."""
    for case in _all_cases(_QUICK_CHANNELS if quick else tuple(_SIDES)):
        for placed in PLACEMENTS:
            found = replace(case, placed=placed)
            if only in found.label:
                yield found


def _all_cases(channels: tuple[int, ...]) -> Iterator[Case]:
    for dtype, item_bytes in ITEM_BYTES.items():
        for size, source_bytes in _SOURCE_BYTES.items():
            for source, target in PLAIN_PAIRS + BLOCKED_PAIRS:
                for c in channels:
                    if c == 3 and "NCHW32" in (source, target):
                        continue  # 29 of 32 lanes would be padding
                    small = target == "CHWN4" and size == "1 MB"
                    side = (_SMALL_SIDES if small else _SIDES)[c]
                    n = max(1, round(source_bytes / (c * side * side * item_bytes)))
                    yield Case(source, target, dtype, (n, c, side, side), size)
            for side, (o, i) in _WEIGHTS[dtype, size].items():
                yield Case("oihw", "OIhw4i16o4i", dtype, (o, i, side, side), size)
