"""Transposes are pushed towards the outputs, where that lets one of them cancel another.

The nodes are visited once in ORT's order; a node that reads a Transpose takes the operand from
before it, and the Transpose moves behind the node, if the cost falls: the cost is the number of
dimensions that are not 1, of every tensor that is transposed. Which results are free of it
(``_pays``) was found by running 1.31.1 on networks of Transposes. An operator lets a Transpose pass
if it has a handler. Those whose handler never does so in float32 (MaxPool) stand here too, because
the cost asks only whether there is a handler.
Source: onnxruntime/core/optimizer/transpose_optimization/onnx_transpose_optimization.cc
(``handler_map``) and ort_transpose_optimization.cc (``OrtExtendedHandlers``).
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...operators import OPERATORS
from ...operators.base import Family
from .working import OrtStep, Perm, Working

Change = Callable[[Working, OrtStep, Perm], Perm | None]


@dataclass(frozen=True, slots=True)
class Handler:
    """How a Transpose passes an operator.

    ``change(working, step, perm)`` rewrites the attributes and returns the permutation behind the
    node, or None if the Transpose cannot pass. ``every``: all operands are transposed, not the
    first alone. ``broadcasts``: they get one rank before. ``moves``: a Transpose comes behind the
    node.
    """

    change: Change
    every: bool = False
    broadcasts: bool = False
    moves: bool = True

    def operands(self, working: Working, step: OrtStep) -> list[int]:
        """The positions of the operands that are transposed; no scalars where they broadcast."""
        if not self.every:
            return [0]
        shapes = map(working.shapes.get, step.inputs)
        return [i for i, shape in enumerate(shapes) if shape != () or not self.broadcasts]


def _same(_working: Working, _step: OrtStep, perm: Perm) -> Perm:
    return perm


def _never(_working: Working, _step: OrtStep, _perm: Perm) -> None:
    return None


def _axis(_working: Working, step: OrtStep, perm: Perm) -> Perm | None:
    """The axis is another one before the Transpose."""
    axis = step.attributes["dim"]
    if axis is None or not -len(perm) <= axis < len(perm):
        return None
    step.attributes["dim"] = perm[axis % len(perm)]
    return perm


def _shuffled(_working: Working, step: OrtStep, perm: Perm) -> Perm:
    """A constant operand has one value a dimension: it is permuted, so the node is another."""
    step.attributes["permuted"] = (*step.attributes.get("permuted", ()), perm)
    return perm


def _without(axes: tuple[int, ...], perm: Perm) -> Perm:
    """``SqueezePerm``: the permutation when the dimensions ``axes`` are gone."""
    place = {d: i for i, d in enumerate(d for d in range(len(perm)) if d not in axes)}
    return tuple(place[d] for d in perm if d in place)


def _axes(working: Working, step: OrtStep, rank: int) -> tuple[int, ...] | None:
    """The axes, an attribute or a constant operand, as indices from 0; None if unknown."""
    axes = step.attributes.get("dim")
    if axes is None and step.input(1):
        constant = working.constants.get(step.input(1))
        if constant is None or constant.values is None:
            return None
        axes = constant.values
    if axes is None or not all(-rank <= d < rank for d in axes):
        return None
    return tuple(int(d) % rank for d in axes)


def _reduce(working: Working, step: OrtStep, perm: Perm) -> Perm | None:
    keep = bool(step.attributes.get("keepdim", True))
    if step.attributes.get("dim") is None and not step.input(1):
        return perm if keep or step.attributes.get("noop") else ()
    axes = _axes(working, step, len(perm))
    if axes is None:
        return None
    new = tuple(sorted(perm[d] for d in axes))
    step.attributes["dim"] = new
    return perm if keep else _without(new, perm)


def _arg(working: Working, step: OrtStep, perm: Perm) -> Perm | None:
    if _axis(working, step, perm) is None:
        return None
    return perm if step.attributes["keepdim"] else _without((step.attributes["dim"],), perm)


def _squeeze(working: Working, step: OrtStep, perm: Perm) -> Perm | None:
    axes = _axes(working, step, len(perm))
    if not axes:
        return None
    new = tuple(sorted(perm[d] for d in axes))
    step.attributes["dim"] = new
    return _without(new, perm)


def _unsqueeze(working: Working, step: OrtStep, perm: Perm) -> Perm | None:
    constant = working.constants.get(step.input(1))
    given = step.attributes.get("dim") or (constant.values if constant else None)
    if not given:
        return None
    rank = len(perm) + len(given)
    new = {int(d) % rank for d in given}
    old = [d for d in range(rank) if d not in new]
    moved = iter(perm)
    return tuple(d if d in new else old[next(moved)] for d in range(rank))


def _onnx(*family: Family) -> set[str]:
    """ONNX's names of the operators of these families."""
    return {name for row in OPERATORS if row.family in family for name in row.onnx}


_ELEMENTWISE = _onnx("unary") - {"BitwiseNot", "Dropout", "Elu", "Mish", "Swish"}
_BROADCAST = _onnx("binary", "pointwise") - {"BitwiseAnd", "BitwiseOr", "BitwiseXor"}
_REDUCTIONS = _onnx("reduction")


HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(_ELEMENTWISE | {"Identity"}, Handler(_same, every=True)),
    **dict.fromkeys(_BROADCAST | {"PRelu"}, Handler(_same, every=True, broadcasts=True)),
    **dict.fromkeys(_REDUCTIONS, Handler(_reduce)),
    **dict.fromkeys(("ArgMin", "ArgMax"), Handler(_arg)),
    **dict.fromkeys(("Clip", "CastLike"), Handler(_same)),
    **dict.fromkeys(("Softmax", "Hardmax", "LogSoftmax", "Split"), Handler(_axis)),
    **dict.fromkeys(("Pad", "Slice", "Tile", "Resize"), Handler(_shuffled)),
    **dict.fromkeys(("QuantizeLinear", "DequantizeLinear"), Handler(_shuffled)),
    **dict.fromkeys(("Transpose", "Reshape", "Shape"), Handler(_never, moves=False)),
    "Concat": Handler(_axis, every=True),
    "Squeeze": Handler(_squeeze),
    "Unsqueeze": Handler(_unsqueeze),
    "MaxPool": Handler(_never),
}


_UNKNOWN_RANK = 5
_TO_NCHW, _TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)


def inverse(perm: Perm) -> Perm:
    """The permutation that undoes ``perm``."""
    return tuple(map(perm.index, range(len(perm))))


def composed(first: Perm, second: Perm) -> Perm:
    """The one permutation that does ``first``, then ``second``."""
    return tuple(first[d] for d in second)


def push_transposes(working: Working, *, assigned: bool) -> bool:
    """Push all Transposes once.

    ``assigned``: the nodes belong to the CPU already, as in level 2, where Resize lets pass the
    Transposes between NCHW and NHWC.
    """
    return _Pushing(working, assigned=assigned).run()


class _Pushing:
    def __init__(self, working: Working, *, assigned: bool) -> None:
        self.working = working
        self.assigned = assigned
        self.order = working.order()
        self.leading = self._leading()
        self.transposed: dict[tuple[str, Perm], OrtStep] = {}
        self.blocking_readers: Counter[str] = Counter()  # readers without a handler
        for step in self.order:
            if step.op == "Transpose" and step.attributes["dims"]:
                self.transposed.setdefault((step.input(0), step.attributes["dims"]), step)
            if step.op not in HANDLERS:
                self.blocking_readers.update(dict.fromkeys(step.inputs, 1))

    def run(self) -> bool:
        changed = False
        for step in self.order:
            for at, name in enumerate(step.inputs if self.working.alive(step) else ()):
                transpose = self._transpose(name)
                if transpose is not None and self._process(transpose, step, at):
                    changed = True
                    break  # the operands, or the node, are others now
        return changed

    def _leading(self) -> dict[str, set[Perm]]:
        """Tensors from which a path of nodes that let Transposes pass leads to a Transpose.

        With each the permutations that a Transpose at its end undoes, if no tensor of the path is
        an output of the network, and all have as many dimensions.
        """
        found: dict[str, set[Perm]] = {}
        for step in reversed(self.order):
            if step.op == "Transpose":
                dims = step.attributes["dims"]
                found.setdefault(step.input(0), set()).update([inverse(dims)] if dims else [])
                continue
            handler = HANDLERS.get(step.op)
            led = [name for name in step.outputs if name in found]
            if handler and handler.moves and led:
                inner = [found[name] for name in led if name not in self.working.outputs]
                undone: set[Perm] = set().union(*inner)
                for name in {step.inputs[i] for i in handler.operands(self.working, step)}:
                    shape = self.working.shapes.get(name)
                    same = (p for p in undone if shape is None or len(p) == len(shape))
                    found.setdefault(name, set()).update(same)
        return found

    def _pays(self, name: str, perm: Perm) -> bool:
        """Whether a Transpose behind this result meets another, and no more are left than before.

        It meets one for certain as the only reader's; where others read the result as it is, too,
        it stays for them, and another one has to be undone.
        """
        if name not in self.leading or name in self.working.outputs:
            return False
        readers = {step.index for step in self.working.readers(name)}
        return len(readers) == 1 or perm in self.leading[name]

    def _transpose(self, name: str) -> OrtStep | None:
        step = self.working.producers.get(name) if name else None
        return step if step and step.op == "Transpose" and step.attributes["dims"] else None

    def _process(self, transpose: OrtStep, step: OrtStep, at: int) -> bool:
        perm: Perm = transpose.attributes["dims"]
        handler = HANDLERS.get(step.op)
        if handler is None:
            return False
        operands = handler.operands(self.working, step)
        if at not in operands:
            return False
        if step.op == "Transpose":
            return self._join(transpose, step, step.attributes["dims"])
        if step.op == "Resize" and not (self.assigned and perm in {_TO_NCHW, _TO_NHWC}):
            return False
        if self._cost(handler, step, operands, perm) >= 0:
            return False
        return self._push(handler, step, operands, perm)

    def _rank(self, name: str) -> int:
        shape = self.working.shapes.get(name)
        return _UNKNOWN_RANK if shape is None else sum(n != 1 for n in shape)

    def _cost(self, handler: Handler, step: OrtStep, operands: list[int], perm: Perm) -> int:
        """``CalculateCost``: of the operands, and of the results if no Transpose takes theirs."""
        cost = sum(self._operand_cost(step.inputs[i], perm) for i in operands)
        if cost < 0 and handler.moves and not any(self._pays(n, perm) for n in step.outputs):
            cost += max(map(self._rank, step.outputs))
        return cost

    def _operand_cost(self, name: str, perm: Perm) -> int:
        """``EstimateTransposeValueCost``: below 0 if the Transpose goes away."""
        if name in self.working.constants:
            return 0
        transpose = self._transpose(name)
        if transpose is None:
            return self._rank(name)
        # ``CanLikelyRemoveTranspose``: every reader is a node that may let a Transpose pass.
        removable = name not in self.working.outputs and not self.blocking_readers[name]
        gone = transpose.attributes["dims"] == perm and removable
        return -self._rank(name) if gone else 0

    def _push(self, handler: Handler, step: OrtStep, operands: list[int], perm: Perm) -> bool:
        working = self.working
        if handler.broadcasts and not self._same_ranks(step, operands, len(perm)):
            return False
        behind = handler.change(working, step, perm)
        if behind is None:
            return False
        for i in operands:
            self._untranspose(step, i, perm)
        if behind != tuple(range(len(behind))):
            # ``TransposeOutput``: the node makes a new tensor, whose Transpose is the old one.
            for k, name in enumerate(step.outputs):
                made = self._tensor(name, step.name or name, inverse(behind))
                working.set_outputs(step, [*step.outputs[:k], made, *step.outputs[k + 1 :]])
                working.add("Transpose", [made], [name], {"dims": behind})
        return True

    def _same_ranks(self, step: OrtStep, operands: list[int], rank: int) -> bool:
        """Operands of fewer dimensions get dimensions of size 1 in front."""
        working = self.working
        lower: list[tuple[int, str, tuple[int, ...]]] = []
        for i in operands:
            name = step.inputs[i]
            shape, transpose = working.shapes.get(name), self._transpose(name)
            if transpose is not None and len(transpose.attributes["dims"]) == rank:
                continue  # also of unknown sizes
            if shape is None or len(shape) > rank:
                return False
            if len(shape) < rank:
                lower.append((i, name, shape))
        for i, name, shape in lower:
            missing = rank - len(shape)
            wide = working.new_tensor(name, f"{name}_unsqueezed", (1,) * missing + shape)
            working.set_input(step, i, wide)
            if not working.same_constant(name, wide):
                working.add("Unsqueeze", [name], [wide], {"dim": tuple(range(missing))})
        return True

    def _untranspose(self, step: OrtStep, at: int, perm: Perm) -> None:
        """``TransposeInputImpl``: the operand from before ``perm``."""
        working = self.working
        name, back = step.inputs[at], inverse(perm)
        transpose = self._transpose(name)
        if name in working.constants:
            made = self._tensor(name, f"{name}_transposed", back)
            working.set_input(step, at, made)
            working.same_constant(name, made)
        elif transpose is not None:
            before: Perm = transpose.attributes["dims"]
            source = transpose.input(0)
            made = source if before == perm else self._transposed(source, composed(before, back))
            working.set_input(step, at, made)
            self._drop_unread(transpose)
        else:
            same = self.transposed.get((name, back))
            key = same and working.alive(same) and (same.input(0), same.attributes["dims"])
            made = same.output if same and key == (name, back) else self._transposed(name, back)
            working.set_input(step, at, made)

    def _tensor(self, like: str, name: str, perm: Perm) -> str:
        """A new tensor, of the sizes of another that is transposed."""
        shape = self.working.shapes.get(like)
        transposed = None if shape is None else tuple(shape[d] for d in perm)
        return self.working.new_tensor(like, name, transposed)

    def _transposed(self, name: str, perm: Perm) -> str:
        """A new Transpose of a tensor; returns its result."""
        made = self._tensor(name, f"{name}_transposed", perm)
        self.transposed[name, perm] = self.working.add("Transpose", [name], [made], {"dims": perm})
        return made

    def _join(self, first: OrtStep, second: OrtStep, perm: Perm | None) -> bool:
        """``HandleTransposeImpl``: two Transposes cancel, or become one."""
        if perm is None or len(perm) != len(first.attributes["dims"]):
            return False
        working = self.working
        both = composed(first.attributes["dims"], perm)
        source, old = first.input(0), second.output
        if both != tuple(range(len(both))):
            working.set_input(second, 0, source)
            second.attributes["dims"] = both
            self._drop_unread(first)
            return True
        called = working.called(source)
        reason = f"It undoes an earlier Transpose: {called} is used in its place."
        working.note(second, "removed", reason)
        if old not in working.outputs:
            self._replace(old, source)
            working.remove(second)
            working.aliases[old] = (source, None)
        else:
            self._name_output(second, source, old)
        self._drop_unread(first)
        return True

    def _name_output(self, second: OrtStep, source: str, output: str) -> None:
        """``RemoveCancelingTransposeNodes`` where the second result is an output of the network."""
        working = self.working
        producer = working.producers.get(source)
        working.remove(second)
        if producer is None or source in working.outputs:
            working.add("Identity", [source], [output], sources=second.sources)
            return
        outputs = [output if name == source else name for name in producer.outputs]
        working.set_outputs(producer, outputs)
        self._replace(source, output)
        working.aliases[source] = (output, None)
        working.renamed[output] = source

    def _replace(self, old: str, new: str) -> None:
        self.working.replace(old, new)
        self.blocking_readers[new] += self.blocking_readers.pop(old, 0)

    def _drop_unread(self, transpose: OrtStep) -> None:
        name = transpose.output
        if not self.working.uses(name):
            reason = "It is moved behind the nodes that read it: no memory is moved here."
            alias = (transpose.input(0), transpose.attributes["dims"])
            self.working.drop(transpose, "removed", reason, {name: alias})
