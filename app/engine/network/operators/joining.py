"""Operators that write a new tensor of the same elements: join, pad, repeat, shuffle, resize."""

import math
from functools import partial

from ...model.errors import refusal
from ...model.layout import checked_product
from .base import Call, Shaped, TensorType, axis_of, copy, memory, read_axes, read_axis, same
from .convolution import per_dim
from .promotion import result_type
from .views import replaced


def _cat(call: Call, _source: TensorType) -> Shaped:
    given = call.given()
    # PyTorch leaves out operands of shape (0,), whatever the rank of the others.
    kept = [(i, each) for i, each in enumerate(given) if each.shape != (0,)] or [(0, given[0])]
    first = kept[0][1]
    if not first.rank:
        raise refusal("inputs[0]", "a tensor of rank 0", "rank.least_one")
    d = axis_of(call, first.rank)
    total = 0
    for i, each in kept:
        if each.rank != first.rank or replaced(each.shape, d) != replaced(first.shape, d):
            got, sizes = f"the shape {list(each.shape)}", list(first.shape)
            raise refusal(f"inputs[{i}]", got, "concat.sizes", sizes=sizes, d=d)
        total += each.shape[d]
    dtype = first.dtype if call.origin == "onnx" else result_type(given)
    return TensorType(replaced(first.shape, d, total), dtype)


def _stack(call: Call, first: TensorType) -> Shaped:
    given = call.given()
    d = read_axis(call.attributes["dim"], first.rank + 1, "attributes.dim")
    for i, each in enumerate(given):
        if each.shape != first.shape:
            got, shape = f"the shape {list(each.shape)}", list(first.shape)
            raise refusal(f"inputs[{i}]", got, "shape.of_first", shape=shape)
    return TensorType((*first.shape[:d], len(given), *first.shape[d:]), result_type(given))


def pad_pairs(call: Call, rank: int) -> list[tuple[int, int]]:
    """(before, after) of each dimension, from the first."""
    if call.origin == "torch":
        given = call.attributes["pad"]
        if len(given) % 2 or len(given) > 2 * rank:
            raise call.wrong("pad", given, "pad.integers", most=2 * rank)
        pairs = [(given[i], given[i + 1]) for i in range(0, len(given), 2)]
        return [(0, 0)] * (rank - len(pairs)) + pairs[::-1]
    given = call.integers("pads") or ()
    axes = call.integers("axes")
    axes = tuple(range(rank)) if axes is None else read_axes(axes, rank, call.where("axes"))
    if len(given) != 2 * len(axes):
        raise call.wrong("pads", given, "integers.count", n=2 * len(axes))
    found = [(0, 0)] * rank
    for i, d in enumerate(axes):
        found[d] = (given[i], given[len(axes) + i])
    return found


def _pad(call: Call, source: TensorType) -> Shaped:
    sizes = []
    for size, (before, after) in zip(source.shape, pad_pairs(call, source.rank), strict=True):
        if size + before + after < 0:
            name = "pad" if call.origin == "torch" else "pads"
            raise call.wrong(name, before, "pad.least", size=size)
        sizes.append(size + before + after)
    checked_product("attributes.pad", sizes)
    return TensorType(tuple(sizes), source.dtype)


def _repeat(call: Call, source: TensorType) -> Shaped:
    name = "dims" if call.op == "tile" else "repeats"
    times = call.integers(name)
    if times is None:
        raise call.wrong(name, None, "integers.list")
    if any(n < 0 for n in times):
        raise call.wrong(name, times, "integers.from_zero")
    if call.op == "tile":
        times = (1,) * (source.rank - len(times)) + times
    if len(times) < source.rank:
        raise call.wrong(name, times, "integers.least", least=source.rank)
    own = (1,) * (len(times) - source.rank) + source.shape
    sizes = [n * size for n, size in zip(times, own, strict=True)]
    checked_product(call.where(name), sizes)
    return TensorType(tuple(sizes), source.dtype)


def _repeat_interleave(call: Call, source: TensorType) -> Shaped:
    times = call.attributes["repeats"]
    if times < 0:
        raise call.wrong("repeats", times, "integer.from_zero")
    if call.attributes["dim"] is None:
        return TensorType((math.prod(source.shape) * times,), source.dtype)
    d = axis_of(call, source.rank)
    size = source.shape[d] if source.rank else 1
    return TensorType(replaced(source.shape, d, size * times), source.dtype)


def _flip(call: Call, source: TensorType) -> Shaped:
    if call.attributes.get("dims") is not None:
        read_axes(call.attributes["dims"], source.rank, "attributes.dims")
    return source


def _roll(call: Call, source: TensorType) -> Shaped:
    shifts, dims = call.attributes["shifts"], call.attributes["dims"]
    for i, d in enumerate(dims or ()):
        read_axis(d, source.rank, f"attributes.dims[{i}]")
    if len(shifts) != len(dims or (0,)):
        raise call.wrong("shifts", shifts, "shifts.count")
    return source


def _factor(call: Call, source: TensorType, factor_name: str) -> int:
    r: int = call.attributes[factor_name]
    if r < 1:
        raise call.wrong(factor_name, r, "integer.positive")
    if source.rank < 3:
        raise call.misranked("input", "rank.least_3")
    return r


def _pixel_shuffle(call: Call, source: TensorType) -> Shaped:
    r = _factor(call, source, "upscale_factor")
    *lead, c, h, w = source.shape
    if c % (r * r):
        raise call.refusal("input", f"{c} channels", "channels.multiple", n=r * r)
    return TensorType((*lead, c // (r * r), h * r, w * r), source.dtype)


def _pixel_unshuffle(call: Call, source: TensorType) -> Shaped:
    r = _factor(call, source, "downscale_factor")
    if 0 in source.shape and call.origin == "torch":
        return source  # PyTorch returns an empty tensor as it is
    *lead, c, h, w = source.shape
    if h % r or w % r:
        raise call.refusal("input", f"the size {h}×{w}", "image.divided", r=r)
    return TensorType((*lead, c * r * r, h // r, w // r), source.dtype)


def _channel_shuffle(call: Call, source: TensorType) -> Shaped:
    groups = call.attributes["groups"]
    if source.rank < 3 or groups < 1 or source.shape[1] % groups:
        raise call.wrong("groups", groups, "channels.divisor_any")
    return source


def _windows_to_columns(call: Call, source: TensorType) -> Shaped:
    if source.rank not in {3, 4}:
        raise call.refusal("input", "another rank", "rank.3_or_4")
    names = ("kernel_size", "dilation", "padding", "stride")
    kernel, dilation, padding, stride = (per_dim(call, name, 2) for name in names)
    count = 1
    for d, size in enumerate(source.shape[-2:]):
        free = size + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1
        if free < 0 or stride[d] < 1:
            raise call.wrong("kernel_size", kernel, "window.fits")
        count *= free // stride[d] + 1
    channels = source.shape[-3] * kernel[0] * kernel[1]
    return TensorType((*source.shape[:-3], channels, count), source.dtype)


def _scaled(call: Call, name: str, size: int, scale: float) -> int:
    if not 0 < scale < 2**31:
        raise call.wrong(name, scale, "number.positive")
    return math.floor(size * scale)


_RANKS_OF_MODES = {"linear": {1}, "bilinear": {2}, "bicubic": {2}, "lanczos": {2}, "trilinear": {3}}


def _interpolate(call: Call, source: TensorType) -> Shaped:
    spatial = source.rank - 2
    mode = call.attributes["mode"]
    ranks = _RANKS_OF_MODES.get(mode, {1, 2, 3})
    if spatial not in ranks:
        shown = " or ".join(str(n + 2) for n in sorted(ranks))
        raise call.misranked("input", "rank.of_mode", ranks=shown)
    size, scales = call.attributes["size"], call.attributes["scale_factor"]
    if (size is None) == (scales is None):
        raise call.wrong("size", size, "resize.either")
    name = "scale_factor" if size is None else "size"
    given = call.attributes[name]
    if len(given) not in {1, spatial}:
        raise call.wrong(name, given, "number.or_each", n=spatial)
    given = given * spatial if len(given) == 1 else given
    if size is None:
        given = [_scaled(call, name, n, s) for n, s in zip(source.shape[2:], given, strict=True)]
    if any(n < (mode != "area") for n in given):
        raise refusal("attributes.size", "a result without elements", "sizes.positive")
    checked_product("attributes.size", (*source.shape[:2], *given))
    return TensorType((*source.shape[:2], *given), source.dtype)


def _resize(call: Call, source: TensorType) -> Shaped:
    axes = call.attributes.get("axes")
    axes = range(source.rank) if axes is None else read_axes(axes, source.rank, call.where("axes"))
    sizes = call.integers("sizes")
    role = "sizes" if sizes else "scales"
    values = sizes or call.numbers("scales")
    if not values or len(values) != len(axes):
        raise call.refusal(role, "another number of values", "values.count", n=len(axes))
    found = list(source.shape)
    for d, value in zip(axes, values, strict=True):
        found[d] = int(value) if sizes else _scaled(call, role, found[d], value)
    if any(n < 0 for n in found):
        raise call.wrong(role, values, "values.positive")
    checked_product(call.where(role), found)
    return TensorType(tuple(found), source.dtype)


def _grid_sample(call: Call, source: TensorType) -> Shaped:
    grid = call.need("grid")
    if source.rank not in {4, 5} or grid.rank != source.rank:
        raise call.misranked("grid", "rank.as_input")
    return TensorType((*source.shape[:2], *grid.shape[1:-1]), source.dtype)


_resizing = partial(memory, onednn="resampling", family="resizing")
OPERATORS = (
    memory("cat", _cat, "cat concat concatenate(*tensors dim:int=0)",
        "Concat(*tensors axis>dim:int!)", onednn="concat"),
    memory("stack", _stack, "stack(*tensors dim:int=0)", onednn="concat", agnostic=False),
    memory("pad", _pad,
        "pad(input pad:ints! mode:constant/reflect/replicate/circular value:scalar)",
        "Pad(input pads value? axes? mode:constant/reflect/edge/wrap)"),
    copy("repeat", _repeat, "repeat tile(input repeats:ints dims:ints)", "Tile(input repeats)"),
    copy("repeat_interleave", _repeat_interleave, "repeat_interleave(input repeats:int! dim:int)"),
    copy("flip", _flip, "flip(input dims:ints!)"),
    copy("reverse_sequence", _flip,
        onnx="ReverseSequence(input lengths batch_axis:int=1 time_axis:int=0)"),
    copy("roll", _roll, "roll(input shifts:ints! dims:ints)"),
    copy("pixel_shuffle", _pixel_shuffle, "pixel_shuffle(input upscale_factor:int!)",
        "DepthToSpace(input blocksize>upscale_factor:int! mode:DCR/CRD)", images=True),
    copy("pixel_unshuffle", _pixel_unshuffle, "pixel_unshuffle(input downscale_factor:int!)",
        "SpaceToDepth(input blocksize>downscale_factor:int! mode:DCR/CRD)", images=True),
    copy("channel_shuffle", _channel_shuffle, "channel_shuffle(input groups:int!)",
        onednn="shuffle", images=True),
    copy("triangle", same, "tril triu(input diagonal:int=0)", "Trilu(input k? upper:flag=true)"),
    copy("im2col", _windows_to_columns,
        "unfold(input kernel_size:ints! dilation:ints=1 padding:ints=0 stride:ints=1)",
        images=True),
    copy("scatter_elements", same,
        "scatter scatter_add index_fill index_add index_copy scatter_reduce(input index src? "
        "dim:int! value:scalar reduce:text include_self:flag=true alpha:number)",
        "ScatterElements ScatterND Scatter(input index src axis>dim:int=0 reduction:text=none)"),
    _resizing("interpolate", _interpolate,
        "interpolate upsample(input size:ints scale_factor:numbers "
        "mode:nearest/linear/bilinear/bicubic/trilinear/area/nearest-exact/lanczos "
        "align_corners:any recompute_scale_factor:any antialias:flag)", images=True),
    _resizing("resize", _resize, onnx="Resize(input roi? scales? sizes? antialias:flag axes:ints "
        "coordinate_transformation_mode:text=half_pixel cubic_coeff_a:number=-0.75 "
        "exclude_outside:flag extrapolation_value:number=0.0 keep_aspect_ratio_policy:text=stretch "
        "mode:nearest/linear/cubic nearest_mode:text=round_prefer_floor)"),
    _resizing("upsample_onnx", _resize, onnx="Upsample(input scales mode:nearest/linear)"),
    memory("grid_sample", _grid_sample,
        "grid_sample(input grid mode:text=bilinear padding_mode:text=zeros align_corners:any)",
        "GridSample(input grid mode:text=linear padding_mode:text=zeros align_corners:int=0)",
        agnostic=False, images=True),
)  # fmt: skip  # a table: a row an operator
