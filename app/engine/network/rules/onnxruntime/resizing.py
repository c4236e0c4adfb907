"""Which Resize has a blocked kernel. Source: TransformResize in nchwc_transformer.cc."""

from __future__ import annotations

from .working import OrtStep, Working

_LINEAR = frozenset({"asymmetric", "align_corners", "half_pixel"})


def resize_refused(working: Working, step: OrtStep) -> str:
    """Why a Resize has no blocked kernel; empty if it has one."""
    mode = step.attributes.get("mode", "nearest")
    if mode not in {"nearest", "linear"}:
        return f"The blocked Resize has no mode {mode}."
    transform = step.attributes.get("coordinate_transformation_mode", "asymmetric")
    if mode == "nearest":
        if transform != "asymmetric":
            return "The blocked Resize in mode nearest needs asymmetric coordinates."
        if step.attributes.get("nearest_mode", "floor") != "floor":
            return "The blocked Resize in mode nearest rounds down only."
    elif transform not in _LINEAR:
        return f"The blocked Resize has no {transform} coordinates."
    scales = _scales(working, step)
    if scales is None:
        return "The blocked Resize needs whole scales from 1 on, which are constants."
    if scales[:2] != (1, 1):
        return "The blocked Resize scales height and width only."
    return ""


def _scales(working: Working, step: OrtStep) -> tuple[int, ...] | None:
    """The four scales, if they are whole numbers that are known."""
    upsample = step.op == "Upsample"
    sizes = None if upsample else step.input(3)
    constant = working.constants.get(sizes or step.input(1 if upsample else 2))
    shape = working.shapes.get(step.input(0))
    if constant is None or constant.shape != (4,):
        return None
    values: tuple[float, ...] | None = constant.values
    if values is None:  # the shapes tell as much
        made = working.shapes.get(step.output)
        if not shape or not made:
            return None
        values, sizes = made, "made"
    if sizes:
        if shape is None or any(n <= 0 for n in shape):
            return None
        values = tuple(a / b for a, b in zip(values, shape, strict=True))
    found = tuple(int(n) for n in values)
    whole = all(n > 0 and n == exact for n, exact in zip(found, values, strict=True))
    return found if whole else None
