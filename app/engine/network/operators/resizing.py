"""Resizing images and sampling from them."""

from __future__ import annotations

import math
from functools import partial

from ...model.errors import Described, LayoutError, Phrase
from ...model.layout import checked_product
from .base import Call, Shaped, TensorType, memory, read_axes


def _scaled(size: int, scale: float, where: str) -> int:
    if not (0 < scale < 2**31) or not math.isfinite(scale):
        raise LayoutError(where, scale, Phrase("number.positive", "a positive number"))
    return math.floor(size * scale)


def _interpolate(call: Call) -> Shaped:
    source = call.need("input")
    spatial = source.rank - 2
    ranks = {"bilinear": {2}, "bicubic": {2}, "trilinear": {3}, "linear": {1}, "lanczos": {2}}.get(
        call.attributes["mode"], {1, 2, 3}
    )
    if spatial not in ranks:
        shown = " or ".join(str(n + 2) for n in sorted(ranks))
        expected = Phrase("rank.of_mode", "a rank of {ranks} in this mode", ranks=shown)
        raise call.misranked("input", expected)
    size, scales = call.attributes["size"], call.attributes["scale_factor"]
    if (size is None) == (scales is None):
        expected = Phrase("resize.either", "either size or scale_factor")
        raise LayoutError("attributes.size", size and list(size), expected)
    given = size if size is not None else scales
    if len(given) not in {1, spatial}:
        name = "size" if size is not None else "scale_factor"
        expected = Phrase("number.or_each", "one number, or {n}", n=spatial)
        raise LayoutError(f"attributes.{name}", list(given), expected)
    given = tuple(given) * spatial if len(given) == 1 else given
    if size is None:
        given = [
            _scaled(n, s, "attributes.scale_factor")
            for n, s in zip(source.shape[2:], given, strict=True)
        ]
    if any(n < (call.attributes["mode"] != "area") for n in given):
        expected = Phrase("sizes.positive", "sizes over 0")
        raise LayoutError("attributes.size", Described("a result without elements"), expected)
    checked_product("attributes.size", (*source.shape[:2], *given))
    return TensorType((*source.shape[:2], *given), source.dtype)


def _resize(call: Call) -> Shaped:
    source = call.need("input")
    axes = call.attributes.get("axes")
    axes = (
        tuple(range(source.rank))
        if axes is None
        else read_axes(axes, source.rank, "attributes.axes")
    )
    sizes, scales = call.integers("sizes"), None
    if not sizes:
        scales = call.numbers("scales")
    values = sizes or scales
    role = "sizes" if sizes else "scales"
    if not values or len(values) != len(axes):
        expected = Phrase("values.count", "{n} values", n=len(axes))
        raise call.refusal(role, "another number of values", expected)
    found = list(source.shape)
    for d, value in zip(axes, values, strict=True):
        found[d] = int(value) if sizes else _scaled(found[d], value, call.where(role))
    if any(n < 0 for n in found):
        expected = Phrase("values.positive", "positive values")
        raise LayoutError(call.where(role), list(values), expected)
    checked_product(call.where(role), found)
    return TensorType(tuple(found), source.dtype)


def _grid_sample(call: Call) -> Shaped:
    source, grid = call.need("input"), call.need("grid")
    if source.rank not in {4, 5} or grid.rank != source.rank:
        raise call.misranked("grid", Phrase("rank.as_input", "the input's rank, 4 or 5"))
    return TensorType((*source.shape[:2], *grid.shape[1:-1]), source.dtype)


_resizing = partial(memory, onednn="resampling", family="resizing")
OPERATORS = (
    _resizing(
        "interpolate",
        _interpolate,
        "interpolate upsample(input size:ints scale_factor:numbers "
        "mode:nearest/linear/bilinear/bicubic/trilinear/area/nearest-exact/lanczos "
        "align_corners:any recompute_scale_factor:any antialias:flag)",
        images=True,
    ),
    _resizing(
        "resize",
        _resize,
        onnx="Resize(input roi? scales? sizes? antialias:flag axes:ints "
        "coordinate_transformation_mode:text=half_pixel cubic_coeff_a:number=-0.75 "
        "exclude_outside:flag extrapolation_value:number=0.0 keep_aspect_ratio_policy:text=stretch "
        "mode:nearest/linear/cubic nearest_mode:text=round_prefer_floor)",
    ),
    _resizing("upsample_onnx", _resize, onnx="Upsample(input scales mode:nearest/linear)"),
    memory(
        "grid_sample",
        _grid_sample,
        "grid_sample(input grid mode:text=bilinear padding_mode:text=zeros align_corners:any)",
        "GridSample(input grid mode:text=linear padding_mode:text=zeros align_corners:int=0)",
        agnostic=False,
        images=True,
    ),
)
