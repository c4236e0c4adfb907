"""The layout engine: the standard library and NumPy, no HTTP.

>>> from app.engine import parse_layout
>>> parse_layout("NCHW4", (2, 64, 3, 3)).physical_shape
(2, 16, 3, 3, 4)
"""

from app.engine import batches
from app.engine.address import Owners, coordinates_of, offset_map, offsets_of, owners_of
from app.engine.description import Description, describe
from app.engine.dtypes import ElementType, parse_dtype
from app.engine.errors import LayoutError
from app.engine.layout import Digit, Layout
from app.engine.notation import parse_layout
from app.engine.reorders import Plan, backends, plan, reorder
from app.engine.slices import Slice, index_expression, window

# What a server compiles before it is needed.
KERNELS = (batches.KERNELS, backends.KERNELS)

__all__ = [
    "KERNELS",
    "Description",
    "Digit",
    "ElementType",
    "Layout",
    "LayoutError",
    "Owners",
    "Plan",
    "Slice",
    "coordinates_of",
    "describe",
    "index_expression",
    "offset_map",
    "offsets_of",
    "owners_of",
    "parse_dtype",
    "parse_layout",
    "plan",
    "reorder",
    "window",
]
