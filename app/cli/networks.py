"""``stridescope network``: opens a network and prints what a rule set or the planner says of it."""

import json
import mmap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from ..contract.networks import NetworkGraph, propagated
from ..contract.plans import planned
from ..engine.model.errors import Described, LayoutError, Phrase
from ..engine.model.nearest import nearest
from ..engine.network import RULE_SETS, Graph
from ..engine.network.examples import EXAMPLES
from ..engine.network.rules.base import find_rules
from ..files.exported import read_exported
from ..files.onnx import read_network
from .network_svg import drawing, moved_parts, moved_text, of_plan, of_rules
from .refusals import printable
from .tables import columns, count, section

Json = dict[str, Any]
_MOST_JSON_BYTES = 64 << 20
_FLAGS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Opened:
    """A network: its graph, the same as JSON, and remarks of whoever read it.

    ``assumed``: sizes that the file leaves open and nobody gave, by name.
    """

    title: str
    graph: Graph
    json: Json
    remarks: list[str] = field(default_factory=list)
    assumed: dict[str, int] = field(default_factory=dict)

    @property
    def assumptions(self) -> str:
        """Such as "batch = 1, assumed (--size batch=N)"; empty where there are none."""
        words = [f"{name} = {n}, assumed (--size {name}=N)" for name, n in self.assumed.items()]
        return "; ".join(words)


def opened(source: str, sizes: Mapping[str, int]) -> Opened:
    """The network of a file, or the example of that name.

    Errors: LayoutError naming ``source`` or a part of the file; OSError; MissingLibraryError.
    """
    example = EXAMPLES.get(source)
    if example is not None:
        return Opened(example.title, example.graph, example.json)
    path = Path(source)
    if path.suffix == ".onnx":
        return _onnx(path, sizes)
    if path.suffix == ".json":
        return _json(path)
    if path.suffix == ".pt2":
        graph, made = read_exported(path)
        return Opened(path.name, graph, made)
    said = "a file that ends in .onnx, .json or .pt2, or one of {names}"
    raise LayoutError(
        "source",
        Described("neither an example nor a file of a known kind"),
        Phrase("source.known", said, names=tuple(EXAMPLES)),
        suggestion=nearest(source, tuple(EXAMPLES)),
    )


def _onnx(path: Path, sizes: Mapping[str, int]) -> Opened:
    with path.open("rb") as file:
        # Not closed by hand: an error may still hold a part of it. The last reference closes it.
        size_bytes = path.stat().st_size
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size_bytes else b""
    found = read_network(memoryview(data), sizes)
    remarks = [f"{name} = {found.assumed[name]}" for name in found.assumed if name in sizes]
    remarks += [f"{each['node']} ({each['op']}): {each['reason']}" for each in found.unknown]
    remarks += [
        f"{each.node}: ONNX Runtime reorders {each.tensor} from {each.source} to {each.target}"
        for each in found.decisions
    ]
    assumed = {name: size for name, size in found.assumed.items() if name not in sizes}
    return Opened(path.name, found.graph, found.json, remarks, assumed)


def _json(path: Path) -> Opened:
    if path.stat().st_size > _MOST_JSON_BYTES:
        got = Described(f"a file of {path.stat().st_size} bytes")
        expected = Phrase("bytes.limit", "at most {most} bytes", most=_MOST_JSON_BYTES)
        raise LayoutError("source", got, expected)
    try:
        given = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        expected = Phrase("graph", "a graph")
        raise LayoutError("source", Described("a file that is not JSON"), expected) from None
    if isinstance(given, dict) and isinstance(given.get("graph"), dict):
        given = given["graph"]  # as /graph and /networks answer
    return Opened(path.name, NetworkGraph.model_validate(given).parse(), given)


def sizes_of(texts: Sequence[str] | None) -> dict[str, int]:
    """Integers from ``batch=4``. Errors: LayoutError naming the option."""
    found = {}
    for text, key, value in _pairs(texts, "--size"):
        if not key or not isinstance(value, int):
            expected = Phrase("option.size", "a name and an integer, as in --size batch=4")
            raise LayoutError("--size", text, expected)
        found[key] = value
    return found


def options_of(texts: Sequence[str] | None) -> dict[str, int | str | bool]:
    """Options of rules from ``block=16``, ``kernels=brgemm``, ``freezing=true``.

    Errors: LayoutError naming the option.
    """
    found: dict[str, int | str | bool] = {}
    for text, key, value in _pairs(texts, "--option"):
        if not key or value == "":
            expected = Phrase("option.pair", "a name and a value, as in --option block=16")
            raise LayoutError("--option", text, expected)
        found[key] = value if isinstance(value, int) else _FLAGS.get(value, value)
    return found


def _pairs(texts: Sequence[str] | None, option: str) -> Iterator[tuple[str, str, int | str]]:
    names: set[str] = set()
    for text in texts or ():
        key, _, value = text.partition("=")
        if key in names:
            raise LayoutError(option, text, Phrase("option.names_once", "each name once"))
        names.add(key)
        yield text, key, int(value) if value.isdecimal() and len(value) <= 19 else value


class Asked:
    """What is asked of a network, and the answers, each found once."""

    def __init__(
        self,
        network: Opened,
        rules: str | None,
        options: Mapping[str, int | str | bool],
        *,
        plan: bool,
    ) -> None:
        if rules is not None:
            find_rules(rules, RULE_SETS)
        elif options:
            expected = Phrase("option.rules", "--rules NAME")
            raise LayoutError("--option", Described("an option without rules"), expected)
        self.network, self.rules, self.plan = network, rules, plan
        self._propagated = {} if rules is None else propagated(network.graph, rules, options)
        self._planned = planned(network.graph, {}) if plan else {}

    def json(self) -> Json:
        """The answer of the API; two by the names of their calls, the graph if none is asked.

        An answer has ``assumed`` too, where there are sizes that nobody gave.
        """
        found: Json = self._propagated or self._planned
        if self.rules and self.plan:
            found = {"propagate": self._propagated, "plan": self._planned}
        if not found:
            return self.network.json
        return {**found, "assumed": self.network.assumed} if self.network.assumed else found

    def tables(self) -> Iterator[RenderableType]:
        """The network, then what is asked of it."""
        graph = self.network.graph
        tensors = len(graph.types) - len(graph.constants)
        yield Text(printable(self.network.title), style="bold")
        yield Text(
            f"{count(len(graph.nodes), 'node')}, {count(tensors, 'tensor')}, "
            f"{count(len(graph.constants), 'constant')}",
            style="dim",
        )
        for remark in filter(None, (self.network.assumptions, *self.network.remarks)):
            yield Text(printable(remark), style="dim")
        if self.rules:
            yield from self._rules_tables()
        if self.plan:
            yield from self._plan_tables()
        if not self.rules and not self.plan:
            yield from self._node_table()

    def _node_table(self) -> Iterator[RenderableType]:
        table = columns("node", "operator", "shape")
        for node in self.network.graph.nodes:
            shapes = [self._shape(name) for name in node.outputs if name]
            table.add_row(printable(node.name), printable(node.op), ", ".join(shapes))
        yield section("Nodes", table)

    def _shape(self, name: str) -> str:
        kind = self.network.graph.type(name)
        return "not known" if kind is None else "x".join(map(str, kind.shape)) or "()"

    def _rules_tables(self) -> Iterator[RenderableType]:
        table = columns("node", "operator", "result", "what happens")
        tensors = self._propagated["tensors"]
        nodes = zip(self.network.graph.nodes, self._propagated["nodes"], strict=True)
        for node, said in nodes:
            layouts = [_drawn(tensors[name]) for name in node.outputs if name]
            lost = f" Lost: {said['lost']}." if "lost" in said else ""
            table.add_row(
                printable(node.name), printable(node.op), ", ".join(layouts), said["reason"] + lost
            )
        rules = RULE_SETS[str(self.rules)]
        yield section(rules.title + rules.remark, table)
        yield from _reorders(self._propagated)
        if self._propagated["advice"]:
            lines = [printable(each["text"]) for each in self._propagated["advice"]]
            lines.append("Each change is counted alone: two may save the same reorders.")
            yield section("How to save bytes", Text("\n".join(lines)))

    def _plan_tables(self) -> Iterator[RenderableType]:
        found = self._planned
        table = columns("", "bytes", "what they are")
        proof = "proven" if found["optimal"] else f"at least {found['bound']:,}"
        count_of = sum(not each["prepared"] for each in found["reorders"])
        own = {**found, "name": f"least ({proof})", "reorders": count_of}
        for each in (own, *found["baselines"]):
            table.add_row(each["name"], f"{each['cost']:,}", moved_parts(each))
        yield section("Plan: bytes read and written at each run", table)
        for each in found["left_out"]:
            yield Text(f"{each['name']} is not compared. {each['reason']}", style="dim")
        yield from _reorders(found)

    def svg(self) -> str:
        """A drawing of what the rules decide, or the plan.

        Errors: LayoutError naming ``--svg`` if neither or both are asked for, ``nodes`` if they
        are too many for a drawing.
        """
        if bool(self.rules) == self.plan:
            expected = Phrase("option.drawn", "one of --rules NAME and --plan, which is drawn")
            raise LayoutError("--svg", None, expected)
        graph = self.network.graph
        if self.plan:
            decided = of_plan(graph, self._planned)
        else:
            decided = of_rules(graph, self._propagated, RULE_SETS[str(self.rules)].title)
        title = ", ".join(filter(None, (self.network.title, self.network.assumptions)))
        return drawing(graph, title, decided)

    def mermaid(self) -> str:
        """A flowchart: operators, edges with their layouts, reorders as nodes of their own.

        Errors: LayoutError naming ``--rules`` if there are none.
        """
        if not self.rules:
            expected = Phrase("option.rules_name", "the name of rules, for a diagram of them")
            raise LayoutError("--rules", None, expected)
        graph, tensors = self.network.graph, self._propagated["tensors"]
        lines = ["flowchart TD"]
        made = {name: f"i{i}" for i, name in enumerate(graph.inputs)}
        lines += [f'  {made[name]}(["{_quoted(name)}"])' for name in graph.inputs]
        copies = {
            (each["tensor"], reader): each
            for each in self._propagated["reorders"]
            for reader in each["readers"]
        }
        for node in graph.nodes:
            lines.append(f'  n{node.index}["{_quoted(node.name)}<br/>{_quoted(node.op)}"]')
            made |= {name: f"n{node.index}" for name in node.outputs if name}
            for name in dict.fromkeys(node.inputs):
                if name not in made:
                    continue  # left out, or a constant
                copy = copies.get((name, node.name))
                label = _quoted(_drawn(tensors[name]))
                start = f'  {made[name]} -->|"{label}"|'
                if copy is None:
                    lines.append(f"{start} n{node.index}")
                    continue
                place = f"r{len(lines)}"
                text = f"{copy['source']} to {copy['target']}<br/>{copy['bytes']:,} bytes"
                lines.append(f'{start} {place}{{{{"{_quoted(text)}"}}}}')
                lines.append(f"  {place} --> n{node.index}")
        return "\n".join(lines)


def _drawn(placed: Json) -> str:
    """A tensor's layout as the page names it: its short name, or the text that has the strides."""
    text: str | None = placed["layout"] if placed["kind"] == "other" else None
    return text or str(placed["short"])


def _reorders(found: Json) -> Iterator[RenderableType]:
    reorders = found["reorders"]
    table = columns("tensor", "from", "to", "before", "bytes", right=(4,))
    for each in reorders:
        table.add_row(
            printable(each["tensor"]),
            each["source"],
            each["target"],
            printable(each.get("before") or ""),
            f"{each['bytes']:,}",
        )
    yield section(moved_text(found), table if reorders else Text("none"))


def _quoted(text: str) -> str:
    """Text of a label: Mermaid reads quotes and angle brackets, but not as entities."""
    kept = printable(text).replace("<br/>", "\n").replace("&", "#amp;").replace('"', "#quot;")
    return kept.replace("<", "#lt;").replace(">", "#gt;").replace("\n", "<br/>")
