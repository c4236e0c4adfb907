"""Recurrent layers and their cells."""

from __future__ import annotations

from ...model.errors import Phrase
from .base import Call, Shaped, TensorType, compute
from .promotion import as_float

_GATES = {"lstm": 4, "gru": 3, "rnn": 1}


def _layer(call: Call) -> Shaped:
    """ONNX's layers: X (seq, batch, in), W (directions, gates·hidden, in)."""
    source, recurrence = call.need("input"), call.need("recurrence")
    if source.rank != 3 or recurrence.rank != 3:
        raise call.misranked("input", Phrase("rank.3", "a rank of 3"))
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
        raise call.misranked("input", Phrase("rank.3", "a rank of 3"))
    directions = 1 + call.attributes["bidirectional"]
    shape = (*source.shape[:2], state.shape[2] * directions)
    found = TensorType(shape, source.dtype)
    return (found, state, state) if call.op == "lstm" else (found, state)


def _cell(call: Call) -> Shaped:
    state = call.need("hx")
    gates = _GATES[call.op.split("_", maxsplit=1)[0]]
    weight = call.need("w_ih")
    if state.rank != 2 or weight.rank != 2 or weight.shape[0] != gates * state.shape[1]:
        said = "{gates} times the {sizes} hidden values as rows"
        expected = Phrase("rows.hidden", said, gates=gates, sizes=str(state.shape[-1:]))
        raise call.misfit("w_ih", expected)
    found = TensorType(state.shape, as_float(state.dtype))
    return (found, found) if call.op == "lstm_cell" else found


_LAYER = (
    "activation_alpha:any activation_beta:any activations:any clip:number "
    "direction:forward/reverse/bidirectional hidden_size:int layout:int=0"
)
_TORCH = (
    "num_layers:int! has_biases:flag=true dropout:number=0.0 train:flag bidirectional:flag "
    "batch_first:flag nonlinearity:text"
)

OPERATORS = (
    compute(
        "lstm",
        _layer,
        onnx="LSTM(input weight recurrence bias? lengths? hx? cx? peephole? input_forget:int=0 "
        f"{_LAYER})",
        onednn="lstm",
    ),
    compute(
        "gru",
        _layer,
        onnx=f"GRU(input weight recurrence bias? lengths? hx? linear_before_reset:int=0 {_LAYER})",
        onednn="gru",
    ),
    compute(
        "rnn",
        _layer,
        onnx=f"RNN(input weight recurrence bias? lengths? hx? {_LAYER})",
        onednn="vanilla_rnn",
    ),
    compute("torch_lstm", _torch_layer, f"lstm(input hx cx *weights {_TORCH})", onednn="lstm"),
    compute(
        "torch_rnn",
        _torch_layer,
        f"gru rnn_tanh rnn_relu(input hx *weights {_TORCH})",
        onednn="gru",
    ),
    compute("lstm_cell", _cell, "lstm_cell(input hx cx w_ih w_hh b_ih? b_hh?)", onednn="lstm"),
    compute(
        "rnn_cell",
        _cell,
        "gru_cell rnn_tanh_cell rnn_relu_cell(input hx w_ih w_hh b_ih? b_hh?)",
        onednn="gru",
    ),
)
