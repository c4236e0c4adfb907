"""Reads the name of an element type: NumPy's, another system's, or as code and logs write it."""

from __future__ import annotations

import re

from .model.dtypes import ELEMENT_TYPES, ElementType
from .model.errors import LayoutError, one_of
from .nearest import nearest

_BY_SPELLING = {
    spelling: t
    for t in ELEMENT_TYPES.values()
    for spelling in (t.name, *t.aliases, *(s.lower() for s in (t.onednn, t.xla, t.mlir) if s))
}
# NumPy's type codes count bytes (i8 has 64 bits), and its plain words have 64 bits.
_NUMPYS = {f"{t.kind[0]}{t.bits // 8}": t for t in ELEMENT_TYPES.values() if not t.extended} | {
    kind: ELEMENT_TYPES[f"{kind}64"] for kind in ("float", "int", "uint")
}
# Names of two types, such as i8: eight bits in XLA and MLIR, eight bytes in NumPy.
AMBIGUOUS = {
    name: (t, _NUMPYS[name]) for name, t in _BY_SPELLING.items() if _NUMPYS.get(name, t) is not t
}
# What languages and libraries write before the name of a type.
_SCOPE = re.compile(
    r"(?i:(?P<numpy>(?:np|numpy|jnp|jax\.numpy|cp|cupy)\.)|(?:torch|tf|ml_dtypes)\."
    r"|cudnn_data_|dml_tensor_data_type_|(?:dnnl::)?memory::data_type::|dnnl_)"
    r"|(?:(?:nvinfer1::)?DataType::)?k(?=[A-Z])"
)
_TYPESTR = re.compile(r"[<>|=]([fiubc][1-9][0-9]?)")


def find_dtype(text: str) -> ElementType | None:
    """Element type by name, None if no type has this name, or two have it (``AMBIGUOUS``).

    ``text``: NumPy's name, another system's name or an alias, also after ``torch.``, ``np.``,
    ``CUDNN_DATA_``, ``k`` and the like, with C's ``_t``, or as NumPy's ``<f4``. What stands before
    a name decides between two types. Capital letters make no difference: cuDNN writes FLOAT.
    """
    stripped = text.strip()
    if code := _TYPESTR.fullmatch(stripped):
        return _NUMPYS.get(code[1])
    scope = _SCOPE.match(stripped)
    name = stripped[scope.end() if scope else 0 :].lower()
    if name in AMBIGUOUS:
        if scope is None:
            return None
        return AMBIGUOUS[name][scope["numpy"] is not None]
    return _BY_SPELLING.get(name) or _BY_SPELLING.get(name.removesuffix("_t"))


def parse_dtype(text: str, *, field: str = "dtype") -> ElementType:
    """Element type by name. Errors: LayoutError naming ``field`` if no type or two have this name.

    >>> from stridescope import parse_dtype
    >>> parse_dtype("torch.half").name, parse_dtype("s8").name
    ('float16', 'int8')
    """
    if not isinstance(text, str):
        raise LayoutError(field, text, one_of(ELEMENT_TYPES))
    found = find_dtype(text)
    if found is None:
        meant = AMBIGUOUS.get(text.strip().lower())
        if meant is not None:
            near: str | None = " or ".join(t.name for t in meant)
        else:
            near = nearest(text, ELEMENT_TYPES) or nearest(text, _BY_SPELLING)
        raise LayoutError(
            field,
            text,
            one_of(ELEMENT_TYPES),
            suggestion=near,
        )
    return found
