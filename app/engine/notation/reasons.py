"""Why a notation cannot write a layout: a sentence by its code, with what stands in braces."""

from typing import Final

REASONS: Final = {
    "cudnn.offset": "cuDNN descriptors have no offset and no negative strides.",
    "cudnn.padding": "cuDNN does not pad dimensions: C must be a multiple of the vector length.",
    "cudnn.rank": "cuDNN descriptors have 3 to 8 dimensions.",
    "cudnn.sizes": "cuDNN sizes are 32-bit and not 0.",
    "cudnn.split": "cuDNN can only split C, into vectors of 4 or 32 that are innermost in memory.",
    "cudnn.strides": "cuDNN strides are 32-bit.",
    "cudnn.type": "cuDNN has no data type for {type}.",
    "cudnn.vectors": "cuDNN has no vectors of {vector} elements of {type}.",
    "cute.offset": "A CuTe layout maps coordinate 0 to 0: the offset is part of the pointer.",
    "cute.padding": "Dimension {dim} is padded to {padded}, and CuTe has no padding.",
    "cutlass.class": (
        "No packed layout class of CUTLASS is this memory; strides are written as numbers."
    ),
    "cutlass.rank": "CUTLASS's layouts have 1 to 5 dimensions.",
    "dense.broadcast": (
        "A dimension is broadcast with stride 0, and a named format stores every element."
    ),
    "dense.negative": "A dimension has a negative stride, and no named format has one.",
    "dense.offset": "The layout has an offset, and a named format starts at address 0.",
    "directml.leading": (
        "DirectML would read it back with leading sizes of 1, which is another shape."
    ),
    "directml.numbers": "DirectML sizes and strides are 32-bit.",
    "directml.offset": "DirectML has unsigned strides and no offset inside the buffer.",
    "directml.rank": "DirectML tensors have 1 to 8 dimensions.",
    "directml.type": "DirectML has no data type for {type}.",
    "index.empty": "An empty dimension is padded, which an expression does not show.",
    "index.swizzle": "A swizzle of no bits leaves nothing to write.",
    "letters.names": "The dimensions are not named by letters of N, C, D, H, W.",
    "letters.packed": "Letters describe only packed memory with at most one block, of C.",
    "megengine.bytes": "The byte strides do not fit into 63 bits.",
    "megengine.offset": "A TensorLayout of MegEngine has no offset.",
    "megengine.rank": "MegEngine tensors have at most {most} dimensions.",
    "mlir.map": "No affine map gives the same padding or strides for these sizes.",
    "numpy.half_byte": "NumPy strides are whole bytes and {type} is half a byte.",
    "numpy.pack": "NumPy cannot pack {type}, half a byte: it takes a byte each.",
    "onednn.blocks": "The inner blocks are not packed at the innermost end of memory.",
    "onednn.dense": "A format tag describes dense memory from address 0, without gaps or overlap.",
    "onednn.dense_blocks": (
        "Version 3 has no strides between inner blocks, only tags of dense memory."
    ),
    "onednn.header": (
        "No header of oneDNN lists a tag for {tag}, for any order of the dimensions, and version "
        "3 makes blocks from tags alone."
    ),
    "onednn.negative": "oneDNN has no negative strides.",
    "onednn.offset_byte": "An offset in {type} may begin inside a byte.",
    "onednn.rank": "oneDNN tensors have 1 to {most} dimensions.",
    "onednn.short_stride": (
        "oneDNN rejects the stride of {dim}: it is shorter than the dimensions inside it."
    ),
    "onednn.swizzle": "A memory descriptor cannot express swizzled addresses.",
    "onednn.type": "oneDNN has no data type for {type}.",
    "onednn.type_2": "Version 2 has no data type for {type}.",
    "onnxruntime.format": (
        "ONNX Runtime's CPU kernels have only plain memory and channel blocks of 8 or 16."
    ),
    "onnxruntime.rank": "ONNX Runtime's formats are for 4 dimensions, N,C,H,W or O,I,H,W.",
    "pytorch.half_byte": "PyTorch has no tensors of {type}, which is half a byte.",
    "pytorch.negative": "PyTorch tensors have no negative strides.",
    "size_bytes": "The size in bytes is beyond 2^63-1.",
    "strides.blocks": "Dimension {dim} is split into blocks that one stride does not describe.",
    "strides.padding": "Dimension {dim} is padded to whole blocks, which strides do not describe.",
    "strides.swizzle": "A swizzle of the addresses is not described by strides.",
    "swizzle": "The notation cannot express swizzled addresses.",
    "tensorrt.format": (
        "TensorRT has thirteen formats and no strides, and no format has this memory."
    ),
    "tensorrt.rank": "TensorRT tensors have at most {most} dimensions.",
    "text.length": "The text would be longer than {most} characters.",
    "text.number": "The text would contain a number above 2^63-1.",
    "tvm.dense": (
        "TVM describes dense memory: each axis is whole or split by factors that nest in order."
    ),
    "tvm.names": "A TVM layout names its axes by distinct capitals, at least one.",
    "xla.empty": "No XLA tile has an extent of 0.",
    "xla.gaps": "An XLA layout has no gaps, no broadcast and no negative strides.",
    "xla.offset": "An XLA layout begins at address 0.",
    "xla.padding": "XLA would pad these sizes differently.",
}
