"""How PyTorch and ONNX call an operator: operands in their positions, attributes by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...model.errors import Described, LayoutError, Phrase, one_of
from ..attributes import Attribute, Value, attribute_of, read_any


@dataclass(frozen=True, slots=True)
class Signature:
    """How one system calls an operator: operands in their positions, attributes by name.

    ``operands``: the catalogue's names of the operands. ``least``: how many must be given.
    ``variadic``: the last one stands for any number of operands. ``free``: other attributes are
    kept as they are.
    """

    operands: tuple[str, ...]
    least: int
    variadic: bool
    attributes: Mapping[str, Attribute]
    free: bool = False
    positions: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        positions = {name: i for i, name in enumerate(self.operands)}
        object.__setattr__(self, "positions", positions)

    def read(self, given: Mapping[str, Value]) -> dict[str, Value]:
        """All attributes, defaults included, under the catalogue's names.

        Errors: LayoutError naming ``attributes.<name>``.
        """
        found: dict[str, Value] = {}
        for name in given:
            if name in self.attributes:
                continue
            if self.free:
                found[name] = read_any(attribute_field(name), given[name])
            else:
                got = Described("a name that is not known here")  # it is not repeated
                none = Phrase("attributes.none", "no attributes")
                known = one_of(self.attributes) if self.attributes else none
                raise LayoutError("attributes", got, known)
        for name, attribute in self.attributes.items():
            if name in given:
                value = attribute.read(f"attributes.{name}", _or_default(given[name], attribute))
                if attribute.required and value is None:
                    raise LayoutError(f"attributes.{name}", None, Phrase("value", "a value"))
            elif attribute.required:
                expected = Phrase("value", "a value")
                raise LayoutError(f"attributes.{name}", Described("nothing"), expected)
            else:
                value = attribute.default
            found[attribute.name or name] = value
        return found


def _or_default(value: Value, attribute: Attribute) -> Value:
    """A null stands for the default."""
    return attribute.default if value is None and not attribute.required else value


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
