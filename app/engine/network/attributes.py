"""How systems call operators: kinds of attributes, which check a value and bring it into one form,
and signatures, which have operands in their positions and attributes by name.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..model.errors import Described, LayoutError, one_of, phrase
from ..model.layout import INT64_MAX

# What an attribute may be: JSON's scalars, and lists of them.
Value = Any
Reader = Callable[[str, Value], Value]

MAX_LIST = 65536  # entries of a list: the sections of a split, a shape, …
_MAX_DEPTH = 4  # of an attribute of an unknown operator


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of an operator: how it is read, and its default.

    ``name``: the catalogue's name for it, where systems differ (``group`` and ``groups``); empty
    for the name it is given under. ``read(field, value)`` returns a value that is not null, or
    raises LayoutError naming ``field``. ``required``: there is no default. ``words``: the values to
    choose from, the default among them, where they are few.
    """

    read: Reader
    default: Value = None
    name: str = ""
    required: bool = False
    words: tuple[Value, ...] = ()


def is_integer(value: Value) -> bool:
    """Whether a value is an integer, and not a boolean."""
    return isinstance(value, int) and not isinstance(value, bool)


def read_integer(field: str, value: Value) -> int:
    """An int64."""
    if not is_integer(value) or abs(value) > INT64_MAX:
        raise LayoutError(field, value, phrase("integer.int64_bits"))
    return int(value)


def read_integers(field: str, value: Value) -> tuple[int, ...]:
    """A tuple of int64; one integer alone gives a tuple of one."""
    if is_integer(value):
        return (read_integer(field, value),)
    if not isinstance(value, (list, tuple)):
        raise LayoutError(field, value, phrase("integers.any"))
    return _each(field, value, read_integer, "integers")


def _each(field: str, values: Sequence[Value], read: Reader, what: str) -> tuple[Value, ...]:
    if len(values) > MAX_LIST:
        raise LayoutError(field, values, phrase("list.most", most=MAX_LIST, what=what))
    return tuple(read(f"{field}[{i}]", each) for i, each in enumerate(values))


def _number(field: str, value: Value) -> float | int:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise LayoutError(field, value, phrase("number"))
    return value


def _numbers(field: str, value: Value) -> tuple[float, ...]:
    if isinstance(value, (list, tuple)):
        return _each(field, value, _number, "numbers")
    return (_number(field, value),)


def _flag(field: str, value: Value) -> bool:
    if isinstance(value, int) and value in {0, 1}:  # numbers in ONNX
        return bool(value)
    raise LayoutError(field, value, phrase("boolean"))


def _text(field: str, value: Value) -> str:
    if not isinstance(value, str):
        raise LayoutError(field, value, phrase("text"))
    return value


def _holes(field: str, value: Value) -> tuple[int | None, ...]:
    if not isinstance(value, (list, tuple)):
        return read_integers(field, value)
    return _each(field, value, lambda f, n: None if n is None else read_integer(f, n), "integers")


def _choice(*words: str) -> Attribute:
    """One of some words; the first is the default."""

    def read(field: str, value: Value) -> str:
        if not isinstance(value, str) or value not in words:
            raise LayoutError(field, value, one_of(words))
        return value

    return Attribute(read, words[0], words=words)


def block_sizes(meanings: Mapping[int, str]) -> Attribute:
    """One of some sizes of a block, each with what it is for; the first is the default."""
    sizes = " or ".join(f"{each} ({what})" for each, what in sorted(meanings.items()))
    expected = phrase("block.size", sizes=sizes)

    def read(field: str, value: Value) -> int:
        found = read_integer(field, value)
        if found not in meanings:
            raise LayoutError(field, value, expected)
        return found

    return Attribute(read, next(iter(meanings)), words=tuple(sorted(meanings)))


def read_any(field: str, value: Value, depth: int = _MAX_DEPTH) -> Value:
    """A value of an unknown attribute. Errors: LayoutError naming ``field`` if nested deeply."""
    if isinstance(value, (list, tuple, dict)):
        if not depth:
            raise LayoutError(field, value, phrase("levels.nested", most=_MAX_DEPTH))
        for each in value.values() if isinstance(value, dict) else value:
            read_any(field, each, depth - 1)
    return value


# Kinds of attributes in the text of a signature.
_READERS: Mapping[str, Reader] = {
    "int": read_integer,
    "ints": read_integers,  # one integer counts as a list of one
    "holes": _holes,  # a list of integers and nulls, as the output_size of adaptive pooling
    "number": _number,
    "numbers": _numbers,
    # A number or a boolean that stands in the place of an operand.
    "scalar": lambda field, value: value if isinstance(value, bool) else _number(field, value),
    "text": _text,
    # A size, or the sizes of all parts.
    "int|ints": lambda field, value: (read_integer if is_integer(value) else read_integers)(
        field, value
    ),
    # A list of integers, or a word such as "same".
    "ints|text": lambda field, value: (
        value if isinstance(value, str) else read_integers(field, value)
    ),
    "any": read_any,  # a value that no rule uses: kept as it is, if it is not nested deeply
}


def attribute_of(text: str) -> Attribute:
    """An attribute from its kind and default: ``int``, ``ints=1``, ``flag=true``, ``a/b/c``.

    ``int!`` is required; words between strokes are a choice, the first of them the default.
    """
    kind, _, default = text.removesuffix("!").partition("=")
    if "/" in kind:
        return _choice(*kind.split("/"))
    if kind == "flag":
        return Attribute(_flag, default == "true", words=(False, True))  # in ONNX 0 and 1
    return Attribute(_READERS[kind], _default(kind, default), required=text.endswith("!"))


def _default(kind: str, text: str) -> Value:
    if not text or kind == "text":
        return text or None
    values = tuple(float(n) if set(n) & set(".e") else int(n) for n in text.split(","))
    return values if "ints" in kind else values[0]


@dataclass(frozen=True, slots=True)
class Signature:
    """How one system calls an operator: operands in their positions, attributes by name.

    ``operands``: the catalogue's names of the operands. ``least``: how many must be given.
    ``variadic``: the last one stands for any number of operands. ``free``: other attributes are
    kept as they are. ``own``: the system's names of attributes, by the catalogue's.
    """

    operands: tuple[str, ...]
    least: int
    variadic: bool
    attributes: Mapping[str, Attribute]
    free: bool = False
    positions: Mapping[str, int] = field(init=False, repr=False, compare=False)
    own: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        positions = {name: i for i, name in enumerate(self.operands)}
        object.__setattr__(self, "positions", positions)
        own = {attribute.name or name: name for name, attribute in self.attributes.items()}
        object.__setattr__(self, "own", own)

    def read(self, given: Mapping[str, Value]) -> dict[str, Value]:
        """All attributes, defaults included, under the catalogue's names.

        Errors: LayoutError naming ``attributes.<name>``.
        """
        found: dict[str, Value] = {}
        for name in (name for name in given if name not in self.attributes):
            if not self.free:
                got = Described("a name that is not known here")  # it is not repeated
                known = one_of(self.attributes) if self.attributes else phrase("attributes.none")
                raise LayoutError("attributes", got, known)
            found[name] = read_any(attribute_field(name), given[name])
        for name, attribute in self.attributes.items():
            value = given.get(name)
            if value is not None:
                value = attribute.read(f"attributes.{name}", value)
            elif attribute.required:
                nothing = None if name in given else Described("nothing")
                raise LayoutError(f"attributes.{name}", nothing, phrase("value"))
            else:
                value = attribute.default  # for which a null stands too
            found[attribute.name or name] = value
        return found


def attribute_field(name: str) -> str:
    """The field of an attribute, without its name if that is no plain word."""
    plain = name.isascii() and name.isidentifier() and len(name) <= 64
    return f"attributes.{name}" if plain else "attributes"


def signature(text: str) -> Signature:
    """A signature from its operands and attributes: ``input bias? dim:int=0 axis>dim:int!``.

    ``bias?`` may be left out; ``*tensors`` stands for one or more. An attribute is its name, the
    catalogue's name for it if that is another, and its kind, see ``attribute_of``.
    """
    tokens = text.split()
    operands = [token for token in tokens if ":" not in token]
    attributes = {}
    for name, _, kind in (token.partition(":") for token in tokens if ":" in token):
        own, _, role = name.partition(">")
        attributes[own] = replace(attribute_of(kind), name=role)
    least = sum(not name.endswith("?") for name in operands)
    variadic = bool(operands) and operands[-1].startswith("*")
    return Signature(tuple(name.strip("*?") for name in operands), least, variadic, attributes)
