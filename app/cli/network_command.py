"""``stridescope network``: what a rule set or the planner says of a network."""

import json
import mmap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text
from typer import Argument, Option

from ..contract.networks import NetworkGraph, propagated
from ..contract.plans import planned
from ..engine.model.errors import Described, LayoutError, phrase, refusal
from ..engine.network import RULE_SETS, Graph
from ..engine.network.examples import EXAMPLES
from ..engine.network.rules import find_rules
from ..files.exported import read_exported
from ..files.onnx import read_network
from ..nearest import nearest
from .arguments import AsJson, not_beside, refuse, show
from .network_svg import drawing, flowchart, layout_name, moved_parts, moved_text, of_plan, of_rules
from .refusals import printable
from .tables import columns, count, section

Json = dict[str, Any]
_MOST_JSON_BYTES = 64 << 20
_FLAGS = {"true": True, "false": False}
_REORDERED = ("tensor", "source", "target", "before")


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
        graph = read_exported(path)
        return Opened(path.name, graph, graph.json)
    raise LayoutError(
        "source",
        Described("neither an example nor a file of a known kind"),
        phrase("source.known", names=tuple(EXAMPLES)),
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
    return Opened(path.name, found.graph, found.graph.json, remarks, assumed)


def _json(path: Path) -> Opened:
    if path.stat().st_size > _MOST_JSON_BYTES:
        got = f"a file of {path.stat().st_size} bytes"
        raise refusal("source", got, "bytes.limit", most=_MOST_JSON_BYTES)
    try:
        given = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise refusal("source", "a file that is not JSON", "graph") from None
    if isinstance(given, dict) and isinstance(given.get("graph"), dict):
        given = given["graph"]  # as /graph and /networks answer
    return Opened(path.name, NetworkGraph.model_validate(given).parse(), given)


def _pairs(texts: Sequence[str] | None, option: str, code: str, *kinds: type) -> dict[str, Any]:
    """Values of one of ``kinds`` from ``batch=4``, ``kernels=brgemm``, ``freezing=true``.

    ``code``: of what is expected. Errors: LayoutError naming the option.
    """
    found: dict[str, int | str | bool] = {}
    for text in texts or ():
        key, _, typed = text.partition("=")
        number = typed.isdecimal() and len(typed) <= 19
        value = int(typed) if number else _FLAGS.get(typed, typed)
        if key in found:
            raise LayoutError(option, text, phrase("option.names_once"))
        if not key or value == "" or type(value) not in kinds:
            raise LayoutError(option, text, phrase(code))
        found[key] = value
    return found


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
            find_rules(rules)
        elif options:
            raise refusal("--option", "an option without rules", "option.rules")
        self.network, self.rules, self.plan = network, rules, plan
        self._propagated = {} if rules is None else propagated(network.graph, rules, options)
        under = {rules: options} if rules else {}
        self._planned = planned(network.graph, {}, under=under) if plan else {}

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
            table = columns("node", "operator", "shape")
            for node in graph.nodes:
                kinds = (graph.type(name) for name in node.outputs if name)
                shapes = (k and ("x".join(map(str, k.shape)) or "()") for k in kinds)
                said = ", ".join(shape or "not known" for shape in shapes)
                table.add_row(printable(node.name), printable(node.op), said)
            yield section("Nodes", table)

    def _rules_tables(self) -> Iterator[RenderableType]:
        table = columns("node", "operator", "result", "what happens")
        tensors = self._propagated["tensors"]
        nodes = zip(self.network.graph.nodes, self._propagated["nodes"], strict=True)
        for node, said in nodes:
            layouts = ", ".join(layout_name(tensors[name]) for name in node.outputs if name)
            lost = f" {said['lost']} is lost here: read, not passed on." if "lost" in said else ""
            row = node.name, node.op, layouts, said["reason"] + lost
            table.add_row(*map(printable, row))
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
            raise LayoutError("--svg", None, phrase("option.drawn"))
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
            raise LayoutError("--rules", None, phrase("option.rules_name"))
        return flowchart(self.network.graph, self._propagated)


def _reorders(found: Json) -> Iterator[RenderableType]:
    rows = [
        (*(printable(each.get(name) or "") for name in _REORDERED), f"{each['bytes']:,}")
        for each in found["reorders"]
    ]
    table = columns("tensor", "from", "to", "before", "bytes", right=(4,), rows=rows)
    yield section(moved_text(found), table if rows else Text("none"))


def network(
    source: Annotated[
        str,
        Argument(
            help="An .onnx file, a .json file as the API takes it, a .pt2 file of torch.export, "
            f"or one of {', '.join(EXAMPLES)}."
        ),
    ],
    rules: Annotated[
        str | None,
        Option(
            help=f"The system: {', '.join(each.label for each in RULE_SETS.values())}. "
            "†: read in its source, never held against it running."
        ),
    ] = None,
    options: Annotated[
        list[str] | None,
        Option("--option", help="Of the rules: block=16, kernels=brgemm; repeatable."),
    ] = None,
    sizes: Annotated[
        list[str] | None,
        Option("--size", help="Of a dimension that the file leaves open: batch=4."),
    ] = None,
    plan: Annotated[bool, Option("--plan", help="The layouts at the least cost.")] = False,
    mermaid: Annotated[
        bool, Option("--mermaid", help="Print a Mermaid diagram of the --rules.")
    ] = False,
    svg: Annotated[
        bool, Option("--svg", help="Print a drawing of the --rules or the --plan as SVG.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the layouts of a network: by the rules of a real system, and the best plan."""
    if not source.endswith(".onnx"):
        refuse({"size": sizes}, phrase("source.onnx"))
    if mermaid:
        refuse({"plan": plan, "svg": svg, "json": as_json}, not_beside("--mermaid"))
    if svg:
        refuse({"json": as_json}, not_beside("--svg"))
    found = opened(source, _pairs(sizes, "--size", "option.size", int))
    of_rules = _pairs(options, "--option", "option.pair", int, str, bool)
    said = Asked(found, rules, of_rules, plan=plan)
    if found.assumed and (as_json or svg or mermaid):
        typer.echo(f"stridescope: {printable(found.assumptions)}", err=True)
    if svg:
        typer.echo(said.svg(), nl=False)
    elif mermaid:
        typer.echo(said.mermaid())
    else:
        show(said.json(), said.tables, as_json=as_json)
