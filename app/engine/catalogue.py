"""The catalogue of named formats, as data. To add a format, add a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


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
        ("megengine", "NCHW", "NCHW", "MegEngine's default: one plane per channel."),
        ("megengine", "NHWC", "NCHW", "Channels of a pixel are neighbours."),
        ("megengine", "NCHW4", "NCHW", "Groups of 4 channels: int8 dp4a."),
        ("megengine", "NCHW8", "NCHW", "Groups of 8 channels."),
        ("megengine", "NCHW32", "NCHW", "Groups of 32 channels: int8 tensor cores."),
        ("megengine", "NCHW64", "NCHW", "Groups of 64 channels: int4 tensor cores."),
        ("megengine", "NCHW44", "NCHW", "Arm: activations of NCHW4, weights blocked by 4 twice."),
        ("megengine", "NCHW44_DOT", "NCHW", "Arm with dot products: activations of NCHW4."),
        ("megengine", "NCHW88", "NCHW", "AVX: activations of NCHW8, weights blocked by 8 twice."),
        (
            "megengine",
            "CHWN4",
            "NCHW",
            "Groups of 4 channels, images inside: dp4a and tensor cores.",
        ),
        ("megengine", "NHWCD4", "NCHW", "Rows of blocks of 4 channels: OpenCL images."),
        ("megengine", "weights NHWC", "OIHW", "Weights with input channels innermost."),
        ("megengine", "weights NCHW4", "OIHW", "Weights for NCHW4: groups of 4 input channels."),
        ("megengine", "weights NCHW8", "OIHW", "Weights for NCHW8: groups of 8 input channels."),
        ("megengine", "weights NCHW32", "OIHW", "Weights for NCHW32: groups of 32 input channels."),
        ("megengine", "weights NCHW64", "OIHW", "Weights for NCHW64: groups of 64 input channels."),
        (
            "megengine",
            "weights CHWN4",
            "OIHW",
            "Weights for CHWN4: output channels inside the filter.",
        ),
        ("megengine", "weights NHWCD4", "OIHW", "Weights for NHWCD4: 4 output channels innermost."),
        (
            "megengine",
            "weights NHWCD4_DOT",
            "OIHW",
            "Quantised weights for NHWCD4: 4 output, 4 input channels.",
        ),
        ("megengine", "weights NCHW44", "OIHW", "Weights for NCHW44: 4 input, 4 output channels."),
        (
            "megengine",
            "weights NCHW44_DOT",
            "OIHW",
            "Weights for NCHW44_DOT: 4 output, 4 input channels.",
        ),
        ("megengine", "weights NCHW88", "OIHW", "Weights for NCHW88: 8 input, 8 output channels."),
        (
            "megengine",
            "hybrid weights NCHW44",
            "OIHW",
            "First layer's weights: plain input, blocked output.",
        ),
        (
            "megengine",
            "hybrid weights NCHW88",
            "OIHW",
            "First layer's weights: plain input, blocked output.",
        ),
        ("megengine", "group weights NCHW4", "GOIHW", "Group weights for NCHW4."),
        ("megengine", "group weights NCHW44", "GOIHW", "Group weights for NCHW44."),
        ("megengine", "group weights NCHW44_DOT", "GOIHW", "Group weights for NCHW44_DOT."),
        ("megengine", "group weights NCHW88", "GOIHW", "Group weights for NCHW88."),
        (
            "megengine",
            "channel-wise weights NCHW44",
            "GOIHW",
            "Channel-wise weights: groups in blocks of 4.",
        ),
        (
            "megengine",
            "channel-wise weights NCHW88",
            "GOIHW",
            "Channel-wise weights: groups in blocks of 8.",
        ),
        ("cudnn", "CUDNN_TENSOR_NCHW", "NCHW", "Packed, images of planes."),
        ("cudnn", "CUDNN_TENSOR_NHWC", "NCHW", "Channels of a pixel are neighbours: tensor cores."),
        ("cudnn", "NCHW_VECT_C4", "NCHW", "Vectors of 4 channels (INT8x4); C must be a multiple."),
        (
            "cudnn",
            "NCHW_VECT_C32",
            "NCHW",
            "Vectors of 32 channels (INT8x32); C must be a multiple.",
        ),
        ("tensorrt", "kLINEAR", "NCHW", "Row major."),
        ("tensorrt", "kCHW2", "NCHW", "Vectors of 2 channels: float16."),
        ("tensorrt", "kCHW4", "NCHW", "Vectors of 4 channels: int8."),
        ("tensorrt", "kCHW16", "NCHW", "Vectors of 16 channels: float16 on DLA."),
        ("tensorrt", "kCHW32", "NCHW", "Vectors of 32 channels: int8 tensor cores, DLA."),
        ("tensorrt", "kHWC", "NCHW", "Channels innermost, unpadded."),
        ("tensorrt", "kHWC8", "NCHW", "Channels innermost, padded to 8: float16 tensor cores."),
        ("tensorrt", "kHWC16", "NCHW", "Channels innermost, padded to 16: float16 on Ampere."),
        ("tensorrt", "kDLA_LINEAR", "NCHW", "DLA planes, rows rounded up to 64 bytes."),
        (
            "tensorrt",
            "kDLA_HWC4",
            "NCHW",
            "DLA images of 1, 3 or 4 channels, rows rounded up to 64 bytes.",
        ),
        ("tensorrt", "kDHWC", "NCDHW", "Channels of a voxel innermost, unpadded."),
        ("tensorrt", "kDHWC8", "NCDHW", "Channels of a voxel innermost, padded to 8."),
        ("tensorrt", "kCDHW32", "NCDHW", "Volumes of vectors of 32 channels."),
        ("tvm", "NCHW4c", "NCHW", "Blocks of 4 channels: int8."),
        ("tvm", "NCHW8c", "NCHW", "Blocks of 8 channels: AVX2."),
        ("tvm", "NCHW16c", "NCHW", "Blocks of 16 channels: AVX-512."),
        ("tvm", "NCHW4n4c", "NCHW", "Blocks of 4 images and 4 channels."),
        ("tvm", "OIHW4o4i", "OIHW", "Weights in blocks of 4 output and 4 input channels."),
        ("tvm", "OIHW16i16o", "OIHW", "Weights in blocks of 16 input and 16 output channels."),
        (
            "tvm",
            "OIHW4i16o4i",
            "OIHW",
            "int8 weights: 16 input, 16 output channels, 4 by 4 inside.",
        ),
        ("onnxruntime", "NCHWc8", "NCHW", "MLAS blocks of 8 channels: x86-64 up to AVX2."),
        ("onnxruntime", "NCHWc16", "NCHW", "MLAS blocks of 16 channels: AVX-512, NEON."),
        (
            "onnxruntime",
            "OIHWBo8",
            "OIHW",
            "MLAS weights for plain input or depthwise, blocks of 8.",
        ),
        (
            "onnxruntime",
            "OIHWBo16",
            "OIHW",
            "MLAS weights for plain input or depthwise, blocks of 16.",
        ),
        ("onnxruntime", "OIHWBiBo8", "OIHW", "MLAS weights for blocked input, 8 by 8."),
        ("onnxruntime", "OIHWBiBo16", "OIHW", "MLAS weights for blocked input, 16 by 16."),
    )
)
