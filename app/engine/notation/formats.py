"""The catalogue of named formats, as data. To add a format, add a row."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, eq=False)
class NamedFormat:
    """A named format: ``system:text`` is its notation, ``dims`` its letters in logical order."""

    system: str
    text: str
    dims: str
    summary: str

    @property
    def rank(self) -> int:
        """Number of logical dimensions."""
        return len(self.dims)


# Below its system: a format's text, its dimensions and what it is, two or more blanks between them.
_ROWS: Final = """
letters
    W                   W       A vector.
    HW                  HW      Row major: the columns of a row are neighbours.
    WH                  HW      Column major: the rows of a column are neighbours.
    CHW                 CHW     One plane per channel.
    HWC                 CHW     The channels of a pixel are neighbours.
    DHW                 DHW     Row major in three dimensions.
    WHD                 DHW     Column major in three dimensions.
    NCHW                NCHW    One plane per channel: suits per-channel work (pooling).
    NHWC                NCHW    Channels of a pixel are neighbours: suits convolution.
    CHWN                NCHW    Images are neighbours.
    HWCN                NCHW    Pixel, then channel, then image.
    NCHW4               NCHW    Groups of 4 channels: int8 dp4a.
    NCHW8               NCHW    Groups of 8 channels.
    NCHW16              NCHW    Groups of 16 channels: AVX-512 floats (nChw16c).
    NCHW32              NCHW    Groups of 32 channels: int8 tensor cores.
    NCHW64              NCHW    Groups of 64 channels: int4 tensor cores.
    CHWN4               NCHW    Groups of 4 channels, images inside: dp4a and tensor cores.
    NCDHW               NCDHW   One volume per channel.
    NDHWC               NCDHW   The channels of a voxel are neighbours.
    NCDHW4              NCDHW   Volumes of groups of 4 channels.
    NCDHW32             NCDHW   Volumes of groups of 32 channels.
    OIHW                OIHW    Convolution weights, one filter after another.
    OHWI                OIHW    Weights with input channels innermost.
    HWIO                OIHW    Weights with output channels innermost.
pytorch
    channels_last       NCHW    The strides of NHWC for a tensor of rank 4.
    channels_last_3d    NCDHW   The strides of NDHWC for a tensor of rank 5.
onednn
    nchw                NCHW    Activations, plain.
    nhwc                NCHW    Activations, channels innermost.
    chwn                NCHW    Activations, batch innermost.
    nChw4c              NCHW    Activations in blocks of 4 channels.
    nChw8c              NCHW    Activations in blocks of 8 channels: AVX2.
    nChw16c             NCHW    Activations in blocks of 16 channels: AVX-512.
    nChw32c             NCHW    Activations in blocks of 32 channels.
    NChw16n16c          NCHW    Activations in blocks of 16 images and 16 channels.
    ncdhw               NCDHW   Volumes, plain.
    ndhwc               NCDHW   Volumes, channels innermost.
    nCdhw16c            NCDHW   Volumes in blocks of 16 channels.
    oihw                OIHW    Weights, plain.
    hwio                OIHW    Weights, output channels innermost.
    OIhw16i16o          OIHW    Weights in tiles of 16 by 16 channels.
    OIhw4i16o4i         OIHW    Weights for int8 dot products of 4.
megengine
    NCHW                NCHW    MegEngine's default: one plane per channel.
    NHWC                NCHW    Channels of a pixel are neighbours.
    NCHW4               NCHW    Groups of 4 channels: int8 dp4a.
    NCHW8               NCHW    Groups of 8 channels.
    NCHW32              NCHW    Groups of 32 channels: int8 tensor cores.
    NCHW64              NCHW    Groups of 64 channels: int4 tensor cores.
    NCHW44              NCHW    Arm: activations of NCHW4, weights blocked by 4 twice.
    NCHW44_DOT          NCHW    Arm with dot products: activations of NCHW4.
    NCHW88              NCHW    AVX: activations of NCHW8, weights blocked by 8 twice.
    CHWN4               NCHW    Groups of 4 channels, images inside: dp4a and tensor cores.
    NHWCD4              NCHW    Rows of blocks of 4 channels: OpenCL images.
    weights NHWC        OIHW    Weights with input channels innermost.
    weights NCHW4       OIHW    Weights for NCHW4: groups of 4 input channels.
    weights NCHW8       OIHW    Weights for NCHW8: groups of 8 input channels.
    weights NCHW32      OIHW    Weights for NCHW32: groups of 32 input channels.
    weights NCHW64      OIHW    Weights for NCHW64: groups of 64 input channels.
    weights CHWN4       OIHW    Weights for CHWN4: output channels inside the filter.
    weights NHWCD4      OIHW    Weights for NHWCD4: 4 output channels innermost.
    weights NHWCD4_DOT  OIHW    Quantised weights for NHWCD4: 4 output, 4 input channels.
    weights NCHW44      OIHW    Weights for NCHW44: 4 input, 4 output channels.
    weights NCHW44_DOT  OIHW    Weights for NCHW44_DOT: 4 output, 4 input channels.
    weights NCHW88      OIHW    Weights for NCHW88: 8 input, 8 output channels.
    hybrid weights NCHW44  OIHW    First layer's weights: plain input, blocked output.
    hybrid weights NCHW88  OIHW    First layer's weights: plain input, blocked output.
    group weights NCHW4  GOIHW   Group weights for NCHW4.
    group weights NCHW44  GOIHW   Group weights for NCHW44.
    group weights NCHW44_DOT  GOIHW   Group weights for NCHW44_DOT.
    group weights NCHW88  GOIHW   Group weights for NCHW88.
    channel-wise weights NCHW44  GOIHW   Channel-wise weights: groups in blocks of 4.
    channel-wise weights NCHW88  GOIHW   Channel-wise weights: groups in blocks of 8.
cudnn
    CUDNN_TENSOR_NCHW   NCHW    Packed, images of planes.
    CUDNN_TENSOR_NHWC   NCHW    Channels of a pixel are neighbours: tensor cores.
    NCHW_VECT_C4        NCHW    Vectors of 4 channels (INT8x4); C must be a multiple.
    NCHW_VECT_C32       NCHW    Vectors of 32 channels (INT8x32); C must be a multiple.
tensorrt
    kLINEAR             NCHW    Row major.
    kCHW2               NCHW    Vectors of 2 channels: float16.
    kCHW4               NCHW    Vectors of 4 channels: int8.
    kCHW16              NCHW    Vectors of 16 channels: float16 on DLA.
    kCHW32              NCHW    Vectors of 32 channels: int8 tensor cores, DLA.
    kHWC                NCHW    Channels innermost, unpadded.
    kHWC8               NCHW    Channels innermost, padded to 8: float16 tensor cores.
    kHWC16              NCHW    Channels innermost, padded to 16: float16 on Ampere.
    kDLA_LINEAR         NCHW    DLA planes, rows rounded up to 64 bytes.
    kDLA_HWC4           NCHW    DLA images of 1, 3 or 4 channels, rows rounded up to 64 bytes.
    kDHWC               NCDHW   Channels of a voxel innermost, unpadded.
    kDHWC8              NCDHW   Channels of a voxel innermost, padded to 8.
    kCDHW32             NCDHW   Volumes of vectors of 32 channels.
cutlass
    RowMajor            HW      The columns of a row are neighbours.
    ColumnMajor         HW      The rows of a column are neighbours, as in BLAS.
    RowMajorInterleaved<32>  HW      Blocks of 32 rows, columns inside: int8.
    RowMajorInterleaved<64>  HW      Blocks of 64 rows, columns inside: int4.
    ColumnMajorInterleaved<32>  HW      Blocks of 32 columns, rows inside: int8.
    ColumnMajorInterleaved<64>  HW      Blocks of 64 columns, rows inside: int4.
    PackedVectorLayout  W       A vector.
    TensorNWC           NCW     Channels of a place are neighbours: 1-D convolution.
    TensorNCHW          NCHW    One plane per channel.
    TensorNHWC          NCHW    Channels of a pixel are neighbours: convolution.
    TensorNHWC          OIHW    Filters K, R, S, C: input channels are neighbours.
    TensorNDHWC         NCDHW   Channels of a voxel are neighbours.
    TensorNCxHWx<32>    NCHW    Groups of 32 channels: int8; C must be a multiple.
    TensorNCxHWx<64>    NCHW    Groups of 64 channels: int4; C must be a multiple.
    TensorCxRSKx<32>    OIHW    Filters for TensorNCxHWx<32>, filters inside.
    TensorCxRSKx<64>    OIHW    Filters for TensorNCxHWx<64>, filters inside.
tvm
    NCHW4c              NCHW    Blocks of 4 channels: int8.
    NCHW8c              NCHW    Blocks of 8 channels: AVX2.
    NCHW16c             NCHW    Blocks of 16 channels: AVX-512.
    NCHW4n4c            NCHW    Blocks of 4 images and 4 channels.
    OIHW4o4i            OIHW    Weights in blocks of 4 output and 4 input channels.
    OIHW16i16o          OIHW    Weights in blocks of 16 input and 16 output channels.
    OIHW4i16o4i         OIHW    int8 weights: 16 input, 16 output channels, 4 by 4 inside.
onnxruntime
    NCHWc8              NCHW    MLAS blocks of 8 channels: x86-64 up to AVX2.
    NCHWc16             NCHW    MLAS blocks of 16 channels: AVX-512, NEON.
    OIHWBo8             OIHW    MLAS weights for plain input or depthwise, blocks of 8.
    OIHWBo16            OIHW    MLAS weights for plain input or depthwise, blocks of 16.
    OIHWBiBo8           OIHW    MLAS weights for blocked input, 8 by 8.
    OIHWBiBo16          OIHW    MLAS weights for blocked input, 16 by 16.
xla
    {1,0}               HW      Row major: dimension 1 is the most minor.
    {0,1}               HW      Column major: dimension 0 is the most minor.
    {3,2,1,0}           NCHW    XLA's default: the last dimension is the most minor.
    {1,3,2,0}           NCHW    Channels are the most minor: NHWC.
    {3,2,1,0}           OIHW    Weights, plain.
    {0,1,3,2}           OIHW    Weights as HWIO: output channels are the most minor.
    {1,0:T(8,128)}      HW      TPU: tiles of 8 rows by 128 columns, 32-bit elements.
    {1,0:T(8,128)(2,1)}  HW      TPU: pairs of rows in each tile, bfloat16.
    {1,0:T(8,128)(4,1)}  HW      TPU: four rows together in each tile, int8.
    {0:T(1024)}         W       TPU: a vector in tiles of 1024.
    {3,2,1,0:T(8,128)}  NCHW    TPU: rows and columns of each plane in tiles.
    {3,2,1,0:T(4,1,1)}  NCHW    Groups of 4 channels, written as a tile.
mlir
    affine_map<(d0, d1) -> (d0, d1)>  HW      Row major, the identity map.
    affine_map<(d0, d1) -> (d1, d0)>  HW      Column major.
    affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>  NCHW    Channels innermost: NHWC.
    affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 64, d0 mod 64, d1 mod 64)>  \
HW  Tiles of 64 by 64.
    affine_map<(d0, d1, d2, d3) -> (d0, d1 floordiv 4, d2, d3, d1 mod 4)>  \
NCHW  Groups of 4 channels.
"""


def _formats() -> tuple[NamedFormat, ...]:
    found: list[NamedFormat] = []
    system = ""
    for row in _ROWS.strip().splitlines():
        if not row.startswith(" "):
            system = row
            continue
        text, dims, summary = re.split(" {2,}", row.strip())
        found.append(NamedFormat(system, text, dims, summary))
    return tuple(found)


FORMATS: Final = _formats()
