"""Products of matrices, einsum; attention and recurrent layers, which consist of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...model.dtypes import ELEMENT_TYPES, ElementType
from ...model.errors import LayoutError, phrase
from .base import Call, Shaped, TensorType, broadcast_shapes, compute
from .promotion import as_float, as_sum, promote, result_type


def product_shape(call: Call, first: str, second: str) -> tuple[int, ...]:
    """The shape of a product of two stacks of matrices, as NumPy's matmul."""
    a, b = call.need(first).shape, call.need(second).shape
    for role, shape in ((first, a), (second, b)):
        if not shape:
            raise call.misfit(role, "rank.least_one")
    rows, columns = a[:-1][-1:], b[-1:] if len(b) > 1 else ()
    inner = b[-2] if len(b) > 1 else b[0]
    if a[-1] != inner:
        raise call.misfit(second, "rows.as_columns", n=a[-1])
    roles = (first, second)
    lead = broadcast_shapes([a[:-2], b[:-2]], lambda i: call.where(roles[i]))
    return (*lead, *rows, *columns)


def _matmul(call: Call, a: TensorType) -> Shaped:
    b = call.need("other")
    ranks = {"mm": (2, 2), "bmm": (3, 3), "mv": (2, 1), "dot": (1, 1)}.get(call.op)
    for role, found, rank in zip(("input", "other"), (a, b), ranks or (), strict=False):
        if found.rank != rank:
            raise call.misfit(role, "dimensions.count", n=rank)
    if call.op == "bmm" and a.shape[0] != b.shape[0]:
        raise call.misfit("other", "batch.is", n=a.shape[0])
    shape = product_shape(call, "input", "other")
    if call.op == "MatMulInteger":
        return TensorType(shape, ELEMENT_TYPES["int32"])
    dtype = a.dtype if call.origin == "onnx" else result_type((a, b))
    if call.op == "QLinearMatMul":
        dtype = call.need("y_zero_point").dtype
    return TensorType(shape, dtype)


def _addmm(call: Call, added: TensorType) -> Shaped:
    shape = product_shape(call, "mat1", "mat2")
    if broadcast_shapes([shape, added.shape], lambda i: f"inputs[{0 if i else 1}]") != shape:
        raise call.misfit("input", "shape.broadcasts_to", shape=list(shape))
    return TensorType(shape, added.dtype)


def _gemm(call: Call, a: TensorType) -> Shaped:
    b = call.need("other")
    for role, found in (("input", a), ("other", b)):
        if found.rank != 2:
            raise call.misfit(role, "rank.2")
    rows, inner = a.shape[::-1] if call.attributes["transA"] else a.shape
    deep, columns = b.shape[::-1] if call.attributes["transB"] else b.shape
    if inner != deep:
        raise call.misfit("other", "elements.summed", n=inner)
    return TensorType((rows, columns), a.dtype)


def _linear(call: Call, source: TensorType) -> Shaped:
    weight = call.need("weight")
    if not source.rank:
        raise call.misfit("input", "rank.least_one")
    if weight.rank not in {1, 2} or weight.shape[-1] != source.shape[-1]:
        raise call.misfit("weight", "size.last", size=source.shape[-1])
    out = weight.shape[:-1]
    bias = call.operand("bias")
    if bias is not None and bias.shape not in {out, (), (1,)}:
        raise call.misfit("bias", "shape.is", shape=list(out))
    return TensorType((*source.shape[:-1], *out), source.dtype)


def _bilinear(call: Call, a: TensorType) -> Shaped:
    weight = call.need("weight")
    if not a.rank or weight.rank != 3 or weight.shape[1] != a.shape[-1]:
        raise call.misfit("weight", "shape.bilinear")
    return TensorType((*a.shape[:-1], weight.shape[0]), a.dtype)


def _attention(call: Call, query: TensorType) -> Shaped:
    key, value = call.need("key"), call.need("value")
    if call.origin == "onnx" and query.rank in {3, 4}:
        return _attention_of_onnx(call, query, key, value)
    if query.rank < 2 or key.rank < 2 or value.rank < 2 or query.shape[-1] != key.shape[-1]:
        raise call.misfit("key", "heads.match")
    # Without elements PyTorch takes booleans, and scaling them makes integers.
    dtype = ELEMENT_TYPES["int64"] if query.dtype.kind == "bool" else query.dtype
    return TensorType((*query.shape[:-1], value.shape[-1]), dtype)


def _attention_of_onnx(
    call: Call, query: TensorType, key: TensorType, value: TensorType
) -> tuple[TensorType, ...]:
    """The result, the keys and values with those of the past before them, and the products."""
    for role, found in (("key", key), ("value", value)):
        if found.rank != query.rank:
            raise call.misranked(role, "ranks.alike")
    heads, rows = query.shape[1], query.shape[-2]
    stored, columns = [key.shape[1], key.shape[-2]], [key.shape[-1], value.shape[-1]]
    if query.rank == 3:
        heads = call.attributes["q_num_heads"] or 1
        stored[0] = call.attributes["kv_num_heads"] or 1
        if min(heads, stored[0]) < 1:
            raise call.wrong("kv_num_heads", stored[0], "integer.positive")
        columns = [n // stored[0] for n in columns]
    past = call.operand("past_key")
    stored[1] += past.shape[-2] if past and past.rank > 1 else 0
    batch = query.shape[0]
    out = (batch, rows, heads * columns[1]) if query.rank == 3 else (*query.shape[:3], columns[1])
    present = ((batch, *stored, n) for n in columns)
    shapes = (out, *present, (batch, heads, rows, stored[1]))
    return tuple(TensorType(shape, query.dtype) for shape in shapes)


_GATES = {"lstm": 4, "gru": 3, "rnn": 1}


def _layer(call: Call, source: TensorType) -> Shaped:
    """ONNX's layers: X (seq, batch, in), W (directions, gates·hidden, in)."""
    recurrence = call.need("recurrence")
    if source.rank != 3 or recurrence.rank != 3:
        raise call.misranked("input", "rank.3")
    hidden, directions = recurrence.shape[2], recurrence.shape[0]
    first, second = source.shape[:2]
    whole, state = (first, directions, second, hidden), (directions, second, hidden)
    if call.attributes["layout"]:
        whole, state = (first, second, directions, hidden), (first, directions, hidden)
    results = (whole, state, state) if call.op == "LSTM" else (whole, state)
    return tuple(TensorType(shape, source.dtype) for shape in results)


def _torch_layer(call: Call, source: TensorType) -> Shaped:
    """PyTorch's lstm, gru and rnn: input, the states, then the weights of each layer."""
    state = call.need("hx")
    if source.rank != 3 or state.rank != 3:
        raise call.misranked("input", "rank.3")
    directions = 1 + call.attributes["bidirectional"]
    found = TensorType((*source.shape[:2], state.shape[2] * directions), source.dtype)
    return (found, state, state) if call.op == "lstm" else (found, state)


def _cell(call: Call, _source: TensorType) -> Shaped:
    state = call.need("hx")
    gates = _GATES[call.op.split("_", maxsplit=1)[0]]
    weight = call.need("w_ih")
    if state.rank != 2 or weight.rank != 2 or weight.shape[0] != gates * state.shape[1]:
        raise call.misfit("w_ih", "rows.hidden", gates=gates, sizes=str(state.shape[-1:]))
    found = TensorType(state.shape, as_float(state.dtype))
    return (found, found) if call.op == "lstm_cell" else found


_MOST_LETTERS = 512  # characters of an equation


@dataclass(frozen=True, slots=True)
class Contraction:
    """One product of two operands.

    ``alone``: for each of them the letters that it alone has, which are summed before the product.
    ``together``: the letters that the product sums. ``types``: of the operands after their sums.
    """

    alone: tuple[Sequence[str], Sequence[str]]
    together: Sequence[str]
    types: tuple[ElementType, ElementType]

    @property
    def dtype(self) -> ElementType:
        """The type of the product: bmm takes one type only, or operands without elements."""
        return self.types[1] if self.together else promote(*self.types)


def einsum_terms(call: Call) -> tuple[list[str], str]:
    """The letters of each operand and of the result. Errors: LayoutError for an ellipsis."""
    equation = call.attributes["equation"].replace(" ", "")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    letters = left.replace(",", "")
    if (
        not (letters + right).isascii()
        or not letters.isalpha()
        or (right and not right.isalpha())
        or len(equation) > _MOST_LETTERS
    ):
        raise call.wrong("equation", equation, "einsum.equation")
    if len(set(right)) != len(right):
        raise call.wrong("equation", equation, "einsum.once")
    if not arrow:
        right = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    return terms, right


def contractions(
    terms: Sequence[str], right: str, operands: Sequence[TensorType]
) -> Iterator[Contraction]:
    """The products that PyTorch makes of several operands, from left to right.

    A letter is summed with the last operand in which its size is not 1. Letters are summed from A
    to Z, then from a to z. Integers are summed as int64 where the sum is not part of a product.
    Source: ATen/native/Linear.cpp (einsum).
    """
    aligned: list[Mapping[str, int]] = [
        dict(zip(term, each.shape, strict=True)) for term, each in zip(terms, operands, strict=True)
    ]
    letters = sorted({c for term in terms for c in term if c not in right})
    left = {c: sum(each.get(c, 1) != 1 for each in aligned) for c in letters}
    found, dtype = dict(aligned[0]), operands[0].dtype
    for own, operand in zip(aligned[1:], operands[1:], strict=True):
        alone: tuple[list[str], list[str]] = ([], [])
        together = []
        for letter, count in left.items():
            wide = [each.get(letter, 1) != 1 for each in (found, own)]
            if all(wide) and count == 2:
                together.append(letter)
            elif any(wide) and count == 1:
                alone[wide.index(True)].append(letter)
            left[letter] = count - all(wide)
        a, b = (
            as_sum(each) if letters_of else each
            for each, letters_of in zip((dtype, operand.dtype), alone, strict=True)
        )
        step = Contraction(alone, together, (a, b))
        yield step
        dtype = step.dtype
        done = {*together, *alone[0], *alone[1]}
        left |= dict.fromkeys(done, 0)
        sizes = {c: own.get(c, 1) if found.get(c, 1) == 1 else found[c] for c in {*found, *own}}
        found = sizes | dict.fromkeys(done, 1)


def _einsum(call: Call, _source: TensorType) -> Shaped:
    terms, right = einsum_terms(call)
    given = call.given()
    if len(terms) != len(given):
        raise call.wrong("equation", call.attributes["equation"], "einsum.terms", n=len(given))
    sizes: dict[str, int] = {}
    for i, (term, each) in enumerate(zip(terms, given, strict=True)):
        where = f"inputs[{i}]"
        if len(term) != each.rank:
            raise LayoutError(where, each.shape, phrase("dimensions.count", n=len(term)))
        own: dict[str, int] = {}
        for letter, n in zip(term, each.shape, strict=True):
            if own.setdefault(letter, n) != n:
                raise LayoutError(where, n, phrase("einsum.own", size=own[letter], letter=letter))
            if sizes.setdefault(letter, n) not in {n, 1} and n != 1:
                raise LayoutError(
                    where, n, phrase("einsum.size", size=sizes[letter], letter=letter)
                )
            if n != 1:
                sizes[letter] = n
    if any(letter not in sizes for letter in right):
        raise call.wrong("equation", right, "einsum.letters")
    dtype = result_type(given)
    if call.origin == "torch" and len(given) > 1:
        *_, last = contractions(terms, right, given)
        dtype = last.dtype
    elif call.origin == "torch" and set(terms[0]) - set(right):
        dtype = as_sum(dtype)
    return TensorType(tuple(sizes[letter] for letter in right), dtype)


_LAYER = (
    "activation_alpha:any activation_beta:any activations:any clip:number "
    "direction:forward/reverse/bidirectional hidden_size:int layout:int=0"
)
_TORCH = (
    "num_layers:int! has_biases:flag=true dropout:number=0.0 train:flag bidirectional:flag "
    "batch_first:flag nonlinearity:text"
)

OPERATORS = (
    compute("matmul", _matmul, "matmul mm bmm mv dot(input other)", "MatMul(input other)",
        onednn="matmul"),
    compute("matmul_integer", _matmul, onnx="MatMulInteger(input other a_zero? b_zero?)",
        onednn="matmul"),
    compute("qlinear_matmul", _matmul,
        onnx="QLinearMatMul(input a_scale a_zero_point other b_scale b_zero_point y_scale "
        "y_zero_point)", onednn="matmul"),
    compute("addmm", _addmm, "addmm baddbmm(input mat1 mat2 beta:number=1 alpha:number=1)",
        onednn="matmul"),
    compute("gemm", _gemm,
        onnx="Gemm(input other bias? alpha:number=1.0 beta:number=1.0 transA:flag transB:flag)",
        onednn="matmul"),
    compute("linear", _linear, "linear(input weight bias?)", onednn="inner_product"),
    compute("bilinear", _bilinear, "bilinear(input1 input2 weight bias?)"),
    compute("attention", _attention,
        "scaled_dot_product_attention(query key value attn_mask? dropout_p:number=0.0 "
        "is_causal:flag scale:number enable_gqa:flag)",
        "Attention(query key value attn_mask? past_key? past_value? nonpad_kv_seqlen? "
        "is_causal:flag kv_num_heads:int q_num_heads:int qk_matmul_output_mode:int=0 scale:number "
        "softcap:number=0.0 softmax_precision:int left_window_size:int=-1 "
        "right_window_size:int=-1)"),
    compute("lstm", _layer,
        onnx="LSTM(input weight recurrence bias? lengths? hx? cx? peephole? input_forget:int=0 "
        f"{_LAYER})", onednn="lstm"),
    compute("gru", _layer,
        onnx=f"GRU(input weight recurrence bias? lengths? hx? linear_before_reset:int=0 {_LAYER})",
        onednn="gru"),
    compute("rnn", _layer, onnx=f"RNN(input weight recurrence bias? lengths? hx? {_LAYER})",
        onednn="vanilla_rnn"),
    compute("torch_lstm", _torch_layer, f"lstm(input hx cx *weights {_TORCH})", onednn="lstm"),
    compute("torch_rnn", _torch_layer, f"gru rnn_tanh rnn_relu(input hx *weights {_TORCH})",
        onednn="gru"),
    compute("lstm_cell", _cell, "lstm_cell(input hx cx w_ih w_hh b_ih? b_hh?)", onednn="lstm"),
    compute("rnn_cell", _cell,
        "gru_cell rnn_tanh_cell rnn_relu_cell(input hx w_ih w_hh b_ih? b_hh?)", onednn="gru"),
    compute("einsum", _einsum, "einsum(*operands equation:text!)",
        "Einsum(*operands equation:text!)", onednn="matmul"),
)  # fmt: skip  # a table: a row an operator
