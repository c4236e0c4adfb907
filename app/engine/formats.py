"""The catalogue of named formats, as data, and the reverse: which names a layout satisfies.

To add a format: one row here, and its grammar in ``notation/`` if none of those has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.engine.dtypes import DEFAULT
from app.engine.errors import LayoutError
from app.engine.layout import Layout
from app.engine.notation import parse_layout
from app.engine.notation.base import same_addresses


@dataclass(frozen=True, slots=True)
class Format:
    """A named format: ``text`` reads back under ``system:``; ``dims`` is its logical order."""

    system: str
    text: str
    dims: str
    summary: str

    @property
    def rank(self) -> int:
        """Number of logical dimensions."""
        return len(self.dims)


FORMATS: Final = tuple(
    Format(*row)
    for row in (
        ("letters", "W", "W", "A vector."),
        ("letters", "HW", "HW", "Row major: the columns of a row are neighbours."),
        ("letters", "WH", "HW", "Column major: the rows of a column are neighbours."),
        ("letters", "CHW", "CHW", "One plane per channel."),
        ("letters", "HWC", "CHW", "The channels of a pixel are neighbours."),
        ("letters", "DHW", "DHW", "Row major in three dimensions."),
        ("letters", "WHD", "DHW", "Column major in three dimensions."),
        ("letters", "NCHW", "NCHW", "One plane per channel: suits per-channel work (pooling)."),
        ("letters", "NHWC", "NCHW", "Channels of a pixel are neighbours: suits convolution."),
        ("letters", "CHWN", "NCHW", "Images are neighbours."),
        ("letters", "HWCN", "NCHW", "Pixel, then channel, then image."),
        ("letters", "NCHW4", "NCHW", "Groups of 4 channels: int8 dp4a."),
        ("letters", "NCHW8", "NCHW", "Groups of 8 channels."),
        ("letters", "NCHW16", "NCHW", "Groups of 16 channels: AVX-512 floats (nChw16c)."),
        ("letters", "NCHW32", "NCHW", "Groups of 32 channels: int8 tensor cores."),
        ("letters", "NCHW64", "NCHW", "Groups of 64 channels: int4 tensor cores."),
        ("letters", "CHWN4", "NCHW", "Groups of 4 channels, images inside: dp4a and tensor cores."),
        ("letters", "NCDHW", "NCDHW", "One volume per channel."),
        ("letters", "NDHWC", "NCDHW", "The channels of a voxel are neighbours."),
        ("letters", "NCDHW4", "NCDHW", "Volumes of groups of 4 channels."),
        ("letters", "NCDHW32", "NCDHW", "Volumes of groups of 32 channels."),
        ("letters", "OIHW", "OIHW", "Convolution weights, one filter after another."),
        ("letters", "OHWI", "OIHW", "Weights with input channels innermost."),
        ("letters", "HWIO", "OIHW", "Weights with output channels innermost."),
        ("pytorch", "channels_last", "NCHW", "The strides of NHWC for a tensor of rank 4."),
        ("pytorch", "channels_last_3d", "NCDHW", "The strides of NDHWC for a tensor of rank 5."),
        ("onednn", "nchw", "NCHW", "Activations, plain."),
        ("onednn", "nhwc", "NCHW", "Activations, channels innermost."),
        ("onednn", "chwn", "NCHW", "Activations, batch innermost."),
        ("onednn", "nChw4c", "NCHW", "Activations in blocks of 4 channels."),
        ("onednn", "nChw8c", "NCHW", "Activations in blocks of 8 channels: AVX2."),
        ("onednn", "nChw16c", "NCHW", "Activations in blocks of 16 channels: AVX-512."),
        ("onednn", "nChw32c", "NCHW", "Activations in blocks of 32 channels."),
        ("onednn", "NChw16n16c", "NCHW", "Activations in blocks of 16 images and 16 channels."),
        ("onednn", "ncdhw", "NCDHW", "Volumes, plain."),
        ("onednn", "ndhwc", "NCDHW", "Volumes, channels innermost."),
        ("onednn", "nCdhw16c", "NCDHW", "Volumes in blocks of 16 channels."),
        ("onednn", "oihw", "OIHW", "Weights, plain."),
        ("onednn", "hwio", "OIHW", "Weights, output channels innermost."),
        ("onednn", "OIhw16i16o", "OIHW", "Weights in tiles of 16 by 16 channels."),
        ("onednn", "OIhw4i16o4i", "OIHW", "Weights for int8 dot products of 4."),
    )
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name that a layout satisfies; ``reason`` says why, where sizes of 1 leave it open."""

    name: str
    reason: str | None


def names_of(layout: Layout) -> dict[str, list[Name]]:
    """Every catalogued format, by system, that puts each element where ``layout`` does.

    A dimension of size 1 is never stepped along, so its stride does not count: then several
    names fit, and each says so. ``contiguous_format`` fits any rank.
    """
    fitting: dict[str, list[Name]] = {}
    ones = [dim for dim, size in zip(layout.dims, layout.shape, strict=True) if size == 1]
    found = [f for f in FORMATS if _fits(layout, f)]
    if _fits(layout, Format("pytorch", "contiguous_format", layout.dims, "")):
        found.insert(0, Format("pytorch", "contiguous_format", layout.dims, ""))
    for f in found:
        rivals = [g for g in found if g.system == f.system and g is not f]
        reason = None
        if rivals and ones:
            reason = (
                f"{', '.join(ones)} {'has' if len(ones) == 1 else 'have'} size 1 and "
                f"{'its stride does' if len(ones) == 1 else 'their strides do'} not count, so "
                f"{' and '.join(g.text for g in rivals)} fits as well"
            )
        elif rivals:
            reason = f"with these sizes {' and '.join(g.text for g in rivals)} is the same memory"
        fitting.setdefault(f.system, []).append(Name(f.text, reason))
    return fitting


def _fits(layout: Layout, f: Format) -> bool:
    if f.rank != layout.rank:
        return False
    # PyTorch and the tags of oneDNN count dimensions; letters name them.
    by_name = set(layout.dims) == set(f.dims)
    if f.system == "letters" and not by_name:
        return False
    dims = layout.dims if by_name or f.system == "pytorch" else None
    if by_name and f.system == "onednn" and layout.dims != f.dims:
        return False
    if not by_name and f.system == "onednn" and not set(layout.dims) <= set("abcdefghijkl"):
        return False
    try:
        candidate = parse_layout(f"{f.system}:{f.text}", layout.shape, dims, DEFAULT)
    except LayoutError:
        return False
    return same_addresses(candidate, layout)
