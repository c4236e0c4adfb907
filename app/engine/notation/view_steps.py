"""The steps of a view by their names, as /view takes them and a pasted text calls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from ..model.layout import Layout
from ..model.views import steps as views
from ..model.views.reshape import NeedsCopy, reshape
from .blocking import submemory
from .index import index

# An op has the name of its function, or that of PyTorch's attribute.
OPS: Final[Mapping[str, Callable[..., Layout | NeedsCopy]]] = {
    **{
        function.__name__: function
        for function in (
            *(views.permute, views.transpose, views.chunk, reshape, views.broadcast, views.narrow),
            *(views.select, views.unsqueeze, views.squeeze, views.flip, submemory),
            *(views.flatten, views.unfold, views.contiguous, index),
        )
    },
    "T": views.reverse,
    "mT": views.matrix_transpose,
}
