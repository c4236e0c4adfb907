"""Recurrent layers and their cells."""

from __future__ import annotations

from ...model.errors import Described, LayoutError
from ..attributes import anything, choice, flag, integer, number, required, text
from .base import Call, Operator, Shaped, TensorType, signature
from .promotion import as_float

_GATES = {"lstm": 4, "gru": 3, "rnn": 1}


def _layer(call: Call) -> Shaped:
    """ONNX's layers: X (seq, batch, in), W (directions, gates·hidden, in)."""
    source, recurrence = call.need("input"), call.need("recurrence")
    if source.rank != 3 or recurrence.rank != 3:
        raise LayoutError(
            call.where("input"), Described(f"a tensor of rank {source.rank}"), "a rank of 3"
        )
    hidden, directions = recurrence.shape[2], recurrence.shape[0]
    first, second = source.shape[:2]
    if call.attributes["layout"]:
        whole: tuple[int, ...] = (first, second, directions, hidden)
        state: tuple[int, ...] = (first, directions, hidden)
    else:
        whole = (first, directions, second, hidden)
        state = (directions, second, hidden)
    results = (whole, state, state) if call.op == "LSTM" else (whole, state)
    return tuple(TensorType(shape, source.dtype) for shape in results)


def _torch_layer(call: Call) -> Shaped:
    """PyTorch's lstm, gru and rnn: input, the states, then the weights of each layer."""
    source, state = call.need("input"), call.need("hx")
    if source.rank != 3 or state.rank != 3:
        raise LayoutError(
            call.where("input"), Described(f"a tensor of rank {source.rank}"), "a rank of 3"
        )
    directions = 1 + call.attributes["bidirectional"]
    shape = (*source.shape[:2], state.shape[2] * directions)
    found = TensorType(shape, source.dtype)
    return (found, state, state) if call.op == "lstm" else (found, state)


def _cell(call: Call) -> Shaped:
    state = call.need("hx")
    gates = _GATES[call.op.split("_", maxsplit=1)[0]]
    weight = call.need("w_ih")
    if state.rank != 2 or weight.rank != 2 or weight.shape[0] != gates * state.shape[1]:
        raise LayoutError(
            call.where("w_ih"),
            Described(f"the shape {list(weight.shape)}"),
            f"{gates} times the {state.shape[-1:]} hidden values as rows",
        )
    found = TensorType(state.shape, as_float(state.dtype))
    return (found, found) if call.op == "lstm_cell" else found


_LAYER = {
    "activation_alpha": anything(), "activation_beta": anything(), "activations": anything(),
    "clip": number(), "direction": choice("forward", "reverse", "bidirectional"),
    "hidden_size": integer(), "layout": integer(0),
}  # fmt: skip
_TORCH = {
    "num_layers": required(integer()), "has_biases": flag(default=True), "dropout": number(0.0),
    "train": flag(), "bidirectional": flag(), "batch_first": flag(), "nonlinearity": text(),
}  # fmt: skip

OPERATORS = (
    Operator(
        "lstm", "compute", _layer,
        onnx=("LSTM",),
        onnx_call=signature(
            "input weight recurrence bias? lengths? hx? cx? peephole?",
            input_forget=integer(0), **_LAYER,
        ),
        onednn="lstm",
    ),
    Operator(
        "gru", "compute", _layer,
        onnx=("GRU",),
        onnx_call=signature(
            "input weight recurrence bias? lengths? hx?", linear_before_reset=integer(0), **_LAYER
        ),
        onednn="gru",
    ),
    Operator(
        "rnn", "compute", _layer,
        onnx=("RNN",),
        onnx_call=signature("input weight recurrence bias? lengths? hx?", **_LAYER),
        onednn="vanilla_rnn",
    ),
    Operator(
        "torch_lstm", "compute", _torch_layer,
        torch=("lstm",), torch_call=signature("input hx cx *weights", **_TORCH), onednn="lstm",
    ),
    Operator(
        "torch_rnn", "compute", _torch_layer,
        torch=("gru", "rnn_tanh", "rnn_relu"),
        torch_call=signature("input hx *weights", **_TORCH), onednn="gru",
    ),
    Operator(
        "lstm_cell", "compute", _cell,
        torch=("lstm_cell",), torch_call=signature("input hx cx w_ih w_hh b_ih? b_hh?"),
        onednn="lstm",
    ),
    Operator(
        "rnn_cell", "compute", _cell,
        torch=("gru_cell", "rnn_tanh_cell", "rnn_relu_cell"),
        torch_call=signature("input hx w_ih w_hh b_ih? b_hh?"), onednn="gru",
    ),
)  # fmt: skip
