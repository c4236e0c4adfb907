"""What the pages say of an operation, from the OpenAPI document."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

_DEEPEST: Final = 3
_SCHEMAS: Final = "#/components/schemas/"
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a request or an answer; ``depth``: how deep it lies, from 0."""

    name: str
    type: str
    text: str
    depth: int
    required: bool


@dataclass(frozen=True, slots=True)
class DocumentedCall:
    """One operation: ``method`` in capitals, ``path`` with its parameters in braces."""

    method: str
    path: str
    operation: Schema
    schemas: Mapping[str, Schema]

    @property
    def id(self) -> str:
        """Its name in the path of its page."""
        name = re.sub(r"\W+", "-", self.path.removeprefix("/api/v1").replace("{", "-")).strip("-")
        return name if self.method == "POST" or "/api/" not in self.path else f"get-{name}"

    @property
    def tag(self) -> str:
        """What it is about."""
        return str(self.operation.get("tags", ["service"])[0])

    @property
    def parameters(self) -> list[tuple[Field, str, str]]:
        """The parameters, each with where it stands, ``path`` or ``query``, and its example."""
        return [
            (
                Field(
                    each["name"],
                    self._type(each.get("schema", {})),
                    each.get("description", ""),
                    0,
                    each.get("required", False),
                ),
                each["in"],
                str(each.get("example", "")),
            )
            for each in self.operation.get("parameters", ())
        ]

    @property
    def bodies(self) -> Mapping[str, Schema]:
        """What its body may be, by media type."""
        content: Mapping[str, Schema] = self.operation.get("requestBody", {}).get("content", {})
        return content

    @property
    def request(self) -> list[Field]:
        """The fields of its body, if that is JSON."""
        return list(self._fields(self.bodies.get("application/json", {}).get("schema", {}), 0))

    @property
    def answer(self) -> list[Field]:
        """The fields of its answer, if that is JSON."""
        content = self.operation["responses"].get("200", {}).get("content", {})
        return list(self._fields(content.get("application/json", {}).get("schema", {}), 0))

    def _fields(self, schema: Schema, depth: int) -> Iterator[Field]:
        for name, each in self._properties(schema).items():
            required = name in self._resolved(schema).get("required", ())
            text = each.get("description") or self._resolved(each).get("description", "")
            yield Field(name, self._type(each), text if depth or text else "", depth, required)
            if depth + 1 < _DEEPEST:
                yield from self._fields(each, depth + 1)

    def _resolved(self, schema: Schema) -> Schema:
        while reference := schema.get("$ref"):
            schema = self.schemas[reference.removeprefix(_SCHEMAS)]
        return schema

    def _properties(self, schema: Schema) -> Mapping[str, Schema]:
        """The fields of an object, of the objects in a list, or of the first that may be one."""
        schema = self._resolved(schema)
        if "items" in schema and isinstance(schema["items"], Mapping):
            return self._properties(schema["items"])
        for some in ("anyOf", "oneOf"):
            for each in schema.get(some, ()):
                if found := self._properties(each):
                    return found
        properties: Mapping[str, Schema] = schema.get("properties", {})
        return properties

    def _type(self, schema: Schema) -> str:
        if "$ref" in schema:
            return self._type(self._resolved(schema))
        for some in ("anyOf", "oneOf"):
            if some in schema:
                return " or ".join(dict.fromkeys(map(self._type, schema[some])))
        if "const" in schema:
            return repr(schema["const"])
        if "enum" in schema:
            return ", ".join(map(repr, schema["enum"]))
        if schema.get("type") == "array":
            items = schema.get("items")
            return f"list of {self._type(items)}" if isinstance(items, Mapping) else "list"
        return str(schema.get("type", "any"))


def calls_of(document: Mapping[str, Any]) -> list[DocumentedCall]:
    """Every operation of an OpenAPI document, in its order."""
    schemas = document.get("components", {}).get("schemas", {})
    return [
        DocumentedCall(method.upper(), path, operation, schemas)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]
