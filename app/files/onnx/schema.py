"""The messages of ``.onnx`` files, as far as networks need them.

Source: onnx/onnx.proto3 of ONNX 1.23. Fields that do not occur here are left out: documentation,
metadata, training.
"""

from __future__ import annotations

from typing import Final

DATA: Final = "data"  # the elements of a tensor
TEXT: Final = "text"  # UTF-8
PLAIN: Final = ""  # numbers, and bytes

_TYPE = "TypeProto"
_TENSOR = "TensorProto"

# Per message: its fields by number, with their names and what they hold.
MESSAGES: Final[dict[str, dict[int, tuple[str, str]]]] = {
    "ModelProto": {
        1: ("ir_version", PLAIN),
        7: ("graph", "GraphProto"),
        8: ("opset_import", "OperatorSetIdProto"),
        25: ("functions", "FunctionProto"),
    },
    "OperatorSetIdProto": {1: ("domain", TEXT), 2: ("version", PLAIN)},
    "GraphProto": {
        1: ("node", "NodeProto"),
        2: ("name", TEXT),
        5: ("initializer", _TENSOR),
        11: ("input", "ValueInfoProto"),
        12: ("output", "ValueInfoProto"),
        13: ("value_info", "ValueInfoProto"),
        15: ("sparse_initializer", "SparseTensorProto"),
    },
    "FunctionProto": {
        1: ("name", TEXT),
        4: ("input", TEXT),
        5: ("output", TEXT),
        6: ("attribute", TEXT),
        7: ("node", "NodeProto"),
        9: ("opset_import", "OperatorSetIdProto"),
        10: ("domain", TEXT),
        11: ("attribute_proto", "AttributeProto"),
        12: ("value_info", "ValueInfoProto"),
        13: ("overload", TEXT),
    },
    "NodeProto": {
        1: ("input", TEXT),
        2: ("output", TEXT),
        3: ("name", TEXT),
        4: ("op_type", TEXT),
        5: ("attribute", "AttributeProto"),
        7: ("domain", TEXT),
        8: ("overload", TEXT),
    },
    "AttributeProto": {
        1: ("name", TEXT),
        2: ("f", PLAIN),
        3: ("i", PLAIN),
        4: ("s", PLAIN),
        5: ("t", _TENSOR),
        6: ("g", "GraphProto"),
        7: ("floats", PLAIN),
        8: ("ints", PLAIN),
        9: ("strings", PLAIN),
        10: ("tensors", _TENSOR),
        11: ("graphs", "GraphProto"),
        14: ("tp", _TYPE),
        15: ("type_protos", _TYPE),
        20: ("type", PLAIN),
        21: ("ref_attr_name", TEXT),
        22: ("sparse_tensor", "SparseTensorProto"),
        23: ("sparse_tensors", "SparseTensorProto"),
    },
    _TENSOR: {
        1: ("dims", PLAIN),
        2: ("data_type", PLAIN),
        3: ("segment", PLAIN),
        4: ("float_data", DATA),
        5: ("int32_data", DATA),
        6: ("string_data", DATA),
        7: ("int64_data", DATA),
        8: ("name", TEXT),
        9: ("raw_data", DATA),
        10: ("double_data", DATA),
        11: ("uint64_data", DATA),
        13: ("external_data", PLAIN),
        14: ("data_location", PLAIN),
    },
    "SparseTensorProto": {1: ("values", _TENSOR), 2: ("indices", _TENSOR), 3: ("dims", PLAIN)},
    "ValueInfoProto": {1: ("name", TEXT), 2: ("type", _TYPE)},
    _TYPE: {
        1: ("tensor_type", "TypeProto.Tensor"),
        4: ("sequence_type", "TypeProto.Inner"),
        5: ("map_type", "TypeProto.Map"),
        8: ("sparse_tensor_type", "TypeProto.Tensor"),
        9: ("optional_type", "TypeProto.Inner"),
    },
    "TypeProto.Tensor": {1: ("elem_type", PLAIN), 2: ("shape", "TensorShapeProto")},
    "TypeProto.Inner": {1: ("elem_type", _TYPE)},
    "TypeProto.Map": {1: ("key_type", PLAIN), 2: ("value_type", _TYPE)},
    "TensorShapeProto": {1: ("dim", "TensorShapeProto.Dimension")},
    "TensorShapeProto.Dimension": {1: ("dim_value", PLAIN), 2: ("dim_param", TEXT)},
}

# Bits of an element by TensorProto.DataType; text (8) has none.
BITS: Final = {
    1: 32,
    2: 8,
    3: 8,
    4: 16,
    5: 16,
    6: 32,
    7: 64,
    9: 8,
    10: 16,
    11: 64,
    12: 32,
    13: 64,
    14: 64,
    15: 128,
    16: 16,
    17: 8,
    18: 8,
    19: 8,
    20: 8,
    21: 4,
    22: 4,
    23: 4,
    24: 8,
}
# The engine's element type by TensorProto.DataType.
DTYPES: Final = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    9: "bool",
    10: "float16",
    11: "float64",
    12: "uint32",
    13: "uint64",
    16: "bfloat16",
    17: "float8_e4m3fn",
    19: "float8_e5m2",
    21: "uint4",
    22: "int4",
}
