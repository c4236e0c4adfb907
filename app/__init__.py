"""Stridescope: how a tensor lies in memory.

The installed package is named ``stridescope``. In a checkout it is ``app``. Both offer these names.

>>> import stridescope
>>> layout = stridescope.parse_layout("NCHW4", (2, 6, 3, 3))  # C in blocks of 4
>>> stridescope.offsets(layout, [[1, 5, 0, 2]]).tolist()  # of the element n=1, c=5, h=0, w=2
[117]
>>> stridescope.describe(layout).notations["onednn"]["text"]
'aBcd4b'

Each name is loaded on first use, so that ``import stridescope`` itself is fast.
"""

from __future__ import annotations

from importlib import import_module  # noqa: TID251  # names are loaded on first use
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .contract.functions import describe, plan_network, propagate, view
    from .engine import (
        KINDS,
        Description,
        Digit,
        ElementType,
        Layout,
        LayoutError,
        Owners,
        Plan,
        Schedule,
        Slice,
        Swizzle,
        index_expression,
        layout_of,
        offset_map,
        parse_dtype,
        parse_layout,
        plan,
        reorder,
        schedule,
        window,
    )
    from .engine import coordinates_of as coordinates
    from .engine import offsets_of as offsets
    from .engine import owners_of as owners
    from .engine.runs.report import read_run
    from .notebook.show import show
    from .tracing.run import TracedRun, load_run, trace

    __version__: str

__all__ = [
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
    "TracedRun",
    "coordinates",
    "describe",
    "index_expression",
    "layout_of",
    "load_run",
    "offset_map",
    "offsets",
    "owners",
    "parse_dtype",
    "parse_layout",
    "plan",
    "plan_network",
    "propagate",
    "read_run",
    "reorder",
    "schedule",
    "show",
    "trace",
    "view",
    "window",
]

# The module of a public name, and its name there. The others have the same name in the engine.
_HOMES = {
    "coordinates": (".engine", "coordinates_of"),
    "describe": (".contract.functions", "describe"),
    "offsets": (".engine", "offsets_of"),
    "owners": (".engine", "owners_of"),
    "plan_network": (".contract.functions", "plan_network"),
    "propagate": (".contract.functions", "propagate"),
    "show": (".notebook.show", "show"),
    "load_run": (".tracing.run", "load_run"),
    "read_run": (".engine.runs.report", "read_run"),
    "trace": (".tracing.run", "trace"),
    "TracedRun": (".tracing.run", "TracedRun"),
    "view": (".contract.functions", "view"),
}


if not TYPE_CHECKING:  # with this function, a type checker would accept any name

    def __getattr__(name: str) -> object:
        """Load and return the public ``name``, and keep it for the next use."""
        if name == "__version__":
            found = import_module(".package", __name__).version()
        elif name in __all__:
            module, inner = _HOMES.get(name, (".engine", name))
            found = getattr(import_module(module, __name__), inner)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
