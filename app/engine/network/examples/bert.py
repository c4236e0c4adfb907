"""BERT-base's encoder. Source: Devlin et al. 2018: width 768, 12 heads, 12 layers, 3072 inside."""

from __future__ import annotations

from .builder import Builder, Of

_WIDTH, _HEADS, _INSIDE = 768, 12, 3072
_BATCH, _LENGTH = 1, 128


def _heads(made: Builder, x: Of, order: list[int]) -> Of:
    """Split the width into heads and bring them before the words: the transpose in question."""
    split = made.node(
        "reshape", [made.linear(x, _WIDTH, _WIDTH)], shape=[_BATCH, _LENGTH, _HEADS, 64]
    )
    return made.node("permute", [split], dims=order)


def _norm(made: Builder, x: Of) -> Of:
    name = made.fresh("norm")
    weights = [made.constant(f"{name}.{part}", (_WIDTH,)) for part in ("weight", "bias")]
    return made.node("layer_norm", [x, *weights], name=name, normalized_shape=[_WIDTH])


def _layer(made: Builder, x: Of) -> Of:
    query = _heads(made, x, [0, 2, 1, 3])
    key = _heads(made, x, [0, 2, 3, 1])
    value = _heads(made, x, [0, 2, 1, 3])
    scores = made.node("mul", [made.node("matmul", [query, key])], other=0.125)
    mixed = made.node("matmul", [made.node("softmax", [scores], dim=-1), value])
    back = made.node("permute", [mixed], dims=[0, 2, 1, 3])
    joined = made.node("reshape", [back], shape=[_BATCH, _LENGTH, _WIDTH])
    x = _norm(made, made.add(made.linear(joined, _WIDTH, _WIDTH), x))
    inside = made.node("gelu", [made.linear(x, _WIDTH, _INSIDE)])
    return _norm(made, made.add(made.linear(inside, _INSIDE, _WIDTH), x))


def bert(layers: int) -> Builder:
    """``layers`` encoder layers over 128 words."""
    made = Builder()
    x = made.input("x", (_BATCH, _LENGTH, _WIDTH))
    for _ in range(layers):
        x = _layer(made, x)
    return made
