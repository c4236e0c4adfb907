"""The layout engine: layouts, and all that is computed from them. It knows no HTTP.

>>> from stridescope import parse_layout
>>> parse_layout("NCHW4", (2, 64, 3, 3)).physical_shape
(2, 16, 3, 3, 4)
"""

from .description.description import Description, describe
from .description.of_array import layout_of
from .inverse.owners import KINDS, Owners, coordinates_of, owners_of
from .model.address import offset_map, offsets_of
from .model.dtypes import ElementType, parse_dtype
from .model.errors import LayoutError
from .model.layout import Digit, Layout, Swizzle
from .notation import parse_layout
from .notation.slices import Slice, index_expression, window
from .reorder.cpu import KERNELS as _REORDER_KERNELS
from .reorder.execute import reorder
from .reorder.plan import Plan, plan
from .reorder.schedule import Schedule, schedule

# Compiled kernels, which a server loads in the background when it starts.
KERNELS = (_REORDER_KERNELS,)

__all__ = [
    "KERNELS",
    "KINDS",
    "Description",
    "Digit",
    "ElementType",
    "Layout",
    "LayoutError",
    "Owners",
    "Plan",
    "Schedule",
    "Slice",
    "Swizzle",
    "coordinates_of",
    "describe",
    "index_expression",
    "layout_of",
    "offset_map",
    "offsets_of",
    "owners_of",
    "parse_dtype",
    "parse_layout",
    "plan",
    "reorder",
    "schedule",
    "window",
]
