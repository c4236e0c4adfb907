"""``stridescope network``: the drawing of the page /network as SVG, and a flowchart for Mermaid.

Positions come from ``arrange``. The sizes of boxes, the cuts of texts, and the colours and line
patterns of layouts are those of the page (static/state/network/scene.js, static/draw/network).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..engine.network import Graph
from ..engine.network.arrangement.place import Arrangement, Copied, Point, Vertex, arrange
from ..engine.network.propagation import bytes_text
from ..picture.colours import DARK, LIGHT
from ..picture.svg import MONO, SANS, escaped, head, text_width
from .refusals import printable
from .tables import count

Json = dict[str, Any]
_WIDTH, _LOST_LINE, _MARGIN, _HEADER, _LEGEND, _HEAD = 148, 15, 24, 54, 34, 7
_HEIGHTS = {"input": 34, "node": 42, "fold": 56, "reorder": 32}
_NARROWER = {"input": 28, "reorder": 24}
_MOST_TITLE, _MOST_DETAIL, _MOST_LINE, _SECOND_LINE = 20, 27, 14, 10
_ASPECT = 1.35
_WORDS = {
    "plain": "row-major",
    "last": "channels last",
    "blocked": "channels in blocks",
    "other": "other strides",
    "absent": "fused: not in memory",
    "unknown": "not known",
}
_COLOURS = {  # in light and in dark themes
    "plain": ("#0072b2", "#56b4e9"),
    "last": ("#c24e00", "#f0a040"),
    "blocked": ("#00805c", "#2cc79b"),
    "other": ("#a14d86", "#e09cc5"),
    "absent": ("#6c737b", "#9aa1aa"),
    "unknown": ("#6c737b", "#9aa1aa"),
    "edge": ("#80848a", "#737a82"),
    "accent": ("#00619e", "#74bdf0"),
    "wrong": ("#a84300", "#ff9a57"),
    "ground": (f"#{LIGHT.background}", f"#{DARK.background}"),
    "text": (f"#{LIGHT.text}", f"#{DARK.text}"),
    "muted": (f"#{LIGHT.muted}", f"#{DARK.muted}"),
}
# Its words SANS and MONO stand for the fonts.
_RULES = Path(__file__).with_name("network.css").read_text("utf-8")
_STYLE = _RULES.replace("SANS", SANS).replace("MONO", MONO)


@dataclass(frozen=True, slots=True)
class Decided:
    """What is drawn of a network: each tensor, the reorders, the layouts that nodes do not pass on.

    ``said``: the sentence below the title. ``tensors``: of each at least its ``kind`` of layout and
    its ``short`` name, from the API's answer. ``reorders``: rows of the answer.
    """

    said: str
    tensors: Mapping[str, Json]
    reorders: Sequence[Json]
    lost: Mapping[str, str]


def of_rules(graph: Graph, found: Json, title: str) -> Decided:
    """What a rule set answered, from the API's JSON."""
    lost = {each["name"]: each["lost"] for each in found["nodes"] if "lost" in each}
    said = f"{title}: {moved_text(found)}."
    if lost:
        said += f" A layout is lost at {count(len(lost), 'node')}: read there, not passed on."
    return Decided(said, found["tensors"], _drawable(graph, found["reorders"]), lost)


def of_plan(graph: Graph, found: Json) -> Decided:
    """What a plan chose, from the API's JSON."""
    proof = "proven least" if found["optimal"] else f"at least {bytes_text(found['bound'])}"
    said = f"The plan at the least cost ({proof}): {moved_text(found)}."
    return Decided(said, found["layouts"], _drawable(graph, found["reorders"]), {})


def _drawable(graph: Graph, reorders: Sequence[Json]) -> list[Json]:
    """The reorders, with the readers that are nodes which read the tensor by its own name."""
    nodes = {node.name: node for node in graph.nodes}
    return [
        {**each, "readers": [x for x in each["readers"] if each["tensor"] in nodes[x].inputs]}
        for each in reorders
    ]


def moved_text(found: Json) -> str:
    """What an answer reads and writes at each run, and what of it is what."""
    return f"{bytes_text(found['cost'])} read and written at each run: {moved_parts(found)}"


def moved_parts(found: Json) -> str:
    """The parts of what a rule set's answer, a plan or one of its baselines moves."""
    reorders, weights = found["reorders"], found["prepared_bytes"]
    number = reorders if isinstance(reorders, int) else sum(not x["prepared"] for x in reorders)
    again = found.get("weights_each_call", False)
    between = found["cost"] - (found["node_cost"] or 0) - (weights if again else 0)
    none = "no reorders between nodes" if found["node_cost"] else "no reorders"
    whole = " in all" if number > 1 else ""
    parts = [f"{count(number, 'reorder')} of {bytes_text(between)}{whole}" if number else none]
    if found["node_cost"]:
        inside = f"{bytes_text(found['node_cost'])} of activations reordered inside nodes"
        parts.append(f"{inside} (weights inside nodes are not counted)")
    if found["node_cost"] is None:
        parts.append("inside nodes not counted")
    if weights:
        when = "unless given as wanted" if again else "once, before the first run"
        parts.append(f"{bytes_text(weights)} for weights {when}")
    if back := found.get("results_bytes"):
        parts.append(f"{bytes_text(back)} more to give its results back as the plan does")
    return ", ".join(parts)


def drawing(graph: Graph, title: str, decided: Decided) -> str:
    """The SVG of a network, for light and dark themes. Errors: LayoutError naming the graph."""
    copies = [Copied(each["tensor"], tuple(each["readers"])) for each in decided.reorders]
    placed = arrange(graph, reorders=copies, fold=True, aspect=_ASPECT)
    return "\n".join(_Drawing(graph, placed, decided).lines(title)) + "\n"


class _Drawing:
    def __init__(self, graph: Graph, placed: Arrangement, decided: Decided) -> None:
        self.graph = graph
        self.placed = placed
        self.decided = decided
        self.heights = [self._height(each) for each in placed.vertices]

    def lines(self, title: str) -> Iterator[str]:
        ways = list(self._ways())
        room = _WIDTH / 2
        width = max(
            self.placed.width + 2 * (room + _MARGIN),
            12 + text_width(self.decided.said, 12, wide=False),
            640,
        )
        height = self.placed.height + _HEADER + _LEGEND + 2 * _MARGIN + 60
        dark = f"@media (prefers-color-scheme: dark) {{{_theme(1)}}}"
        style = f"{_theme(0)}\n{_STYLE}{dark}"
        yield head(round(width), round(height), title, self.decided.said, style)
        yield '<rect class="ground" width="100%" height="100%"/>'
        yield f'<text class="heading" x="{_MARGIN}" y="22">{escaped(title)}</text>'
        yield f'<text class="said" x="{_MARGIN}" y="42">{escaped(self.decided.said)}</text>'
        yield f'<g transform="translate({_MARGIN + room:.1f} {_HEADER + _MARGIN + 20})">'
        yield from (way for _, way, _ in ways)
        for vertex, own in zip(self.placed.vertices, self.heights, strict=True):
            yield from self._drawn(vertex, own)
        yield from (label for _, _, label in ways if label)
        yield "</g>"
        yield f'<g transform="translate({_MARGIN} {height - _LEGEND / 2 - 4:.0f})">'
        yield from self._legend({kind for kind, _, _ in ways})
        yield "</g>"
        yield "</svg>"

    def _height(self, vertex: Vertex) -> int:
        long = vertex.kind == "node" and len(self._words(vertex)[0]) > _MOST_LINE
        return _HEIGHTS[vertex.kind] + (_LOST_LINE if self._lost(vertex) else _SECOND_LINE * long)

    def _lost(self, vertex: Vertex) -> str:
        if vertex.kind not in {"node", "fold"}:
            return ""
        inside = self.graph.nodes[vertex.first : vertex.first + vertex.period * vertex.repeats]
        lost = [self.decided.lost[node.name] for node in inside if node.name in self.decided.lost]
        return f"{len(lost)} layouts" if len(lost) > 1 else "".join(lost)

    def _words(self, vertex: Vertex) -> tuple[str, str]:
        if vertex.kind == "input":
            return _cut(vertex.name, _MOST_TITLE), self._shape(vertex.name)
        if vertex.kind == "reorder":
            each = self.decided.reorders[vertex.first]
            source, target = (_label(each[f"{side}_layout"]) for side in ("source", "target"))
            return f"{source['short']} → {target['short']}", bytes_text(each["bytes"])
        node = self.graph.nodes[vertex.first]
        if vertex.kind == "fold":
            end = self.graph.nodes[vertex.first + vertex.period * vertex.repeats - 1]
            name = _cut(f"{node.op} … {end.op}", _MOST_TITLE - 3)
            return f"{name} ×{vertex.repeats}", f"{vertex.period} operators, {vertex.repeats} times"
        result = node.outputs[0]
        fused = _label(self.decided.tensors.get(result))["kind"] == "absent"
        detail = "fused with next" if fused else self._shape(result)
        return _cut(node.op, _MOST_TITLE), detail

    def _shape(self, tensor: str) -> str:
        kind = self.graph.type(tensor) if tensor else None
        if kind is None:
            return "shape not known"
        return _cut("×".join(map(str, kind.shape)) or "scalar", _MOST_DETAIL)

    def _drawn(self, vertex: Vertex, height: int) -> Iterator[str]:
        lost, width = self._lost(vertex), _WIDTH - _NARROWER.get(vertex.kind, 0)
        classes = f"{vertex.kind}{' losing' if lost else ''}"
        yield f'<g class="{classes}" transform="translate({vertex.x:.1f} {vertex.y:.1f})">'
        full = vertex.name if vertex.kind != "reorder" else f"reorder of {vertex.name}"
        yield f"<title>{escaped(full)}</title>"
        radius = 4 if vertex.kind in {"node", "fold"} else height / 2
        for shift in (6, 3, 0) if vertex.kind == "fold" else (0,):
            yield (
                f'<rect class="frame" x="{shift - width / 2:g}" y="{shift - height / 2:g}" '
                f'width="{width}" height="{height}" rx="{radius:g}"/>'
            )
        title, detail = self._words(vertex)
        rows = [("title", title), ("detail", detail)]
        if lost:
            rows.append(("lost", f"✕ loses {lost}"))
        step = 13 if vertex.kind in {"input", "reorder"} else 15
        for at, (name, text) in enumerate(rows):
            y = (at - (len(rows) - 1) / 2) * step
            yield f'<text class="{name}" y="{y:g}">{escaped(text)}</text>'
        yield "</g>"

    def _ways(self) -> Iterator[tuple[str, str, str]]:
        """Of each edge its kind, its line, its label: once for all edges of a node in a layout."""
        labelled: set[tuple[int, str]] = set()
        for edge in self.placed.edges:
            source = self.placed.vertices[edge.source]
            found = _label(self.decided.tensors.get(edge.tensor))
            if source.kind == "reorder":
                found = _label(self.decided.reorders[source.first]["target_layout"])
            kind, short = found["kind"], found["short"]
            below, above = self.heights[edge.source] / 2, self.heights[edge.target] / 2
            way, head, (x, y) = _way(edge.points, below, above)
            colour = f'style="color:var(--{kind})"'
            said = escaped(f"{edge.tensor}: {short}")
            paths = f'<path class="way" d="{way}"/><path class="head" d="{head}"/>'
            label = f'<text class="label" {colour} x="{x:.1f}" y="{y:.1f}">{escaped(short)}</text>'
            again = (edge.source, short) in labelled
            labelled.add((edge.source, short))
            line = f'<g class="{kind}" {colour}><title>{said}</title>{paths}</g>'
            yield kind, line, "" if again else label

    def _legend(self, kinds: set[str]) -> Iterator[str]:
        x, line = 0, '<path class="way" d="M0 0H36"/>'
        signs = [
            (f'<g class="{kind}" style="color:var(--{kind})">{line}</g>', words)
            for kind, words in _WORDS.items()
            if kind in kinds
        ]
        drawn = {vertex.kind for vertex in self.placed.vertices}
        if "reorder" in drawn:
            frame = '<rect class="frame" x="4" y="-6" width="28" height="12" rx="6"/>'
            signs.append((f'<g class="reorder">{frame}</g>', "reorder"))
        if any(map(self._lost, self.placed.vertices)):
            signs.append(
                ('<text class="cross" x="28">✕</text>', "layout lost: read here, not passed on")
            )
        if "fold" in drawn:
            signs.append(('<text class="title" x="24">×n</text>', "repeated block"))
        for sign, words in signs:
            yield f'<g transform="translate({x} 0)">{sign}'
            yield f'<text class="legend" x="42">{words}</text></g>'
            x += 62 + round(text_width(words, 12, wide=False))


def _theme(dark: int) -> str:
    return "svg { " + "".join(f"--{name}: {both[dark]}; " for name, both in _COLOURS.items()) + "}"


def _way(points: Sequence[Point], below: float, above: float) -> tuple[str, str, Point]:
    """A line from ``below`` the middle of its source to ``above`` its target's, head and label."""
    start = (points[0][0], points[0][1] + below)
    tip = (points[-1][0], points[-1][1] - above)
    way, before = f"M{start[0]:.1f} {start[1]:.1f}", start
    for x, y in [*points[1:-1], (tip[0], tip[1] - _HEAD + 1)]:
        fall = y - before[1]
        if fall <= 0 or abs(x - before[0]) < 0.5:
            way += f"L{x:.1f} {y:.1f}"
        else:
            half = before[1] + fall / 2
            way += f"C{before[0]:.1f} {half:.1f} {x:.1f} {half:.1f} {x:.1f} {y:.1f}"
        before = (x, y)
    return way, f"M{tip[0]:.1f} {tip[1]:.1f}l-4 {-_HEAD}h8z", (start[0] + 6, start[1] + 11)


def _label(found: Json | None) -> Json:
    """The kind and the short name of a layout, where it may not be known."""
    return found or {"kind": "unknown", "short": "not known"}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def flowchart(graph: Graph, found: Json) -> str:
    """Mermaid's flowchart of what a rule set answered; reorders are nodes of their own."""
    tensors = found["tensors"]
    lines = ["flowchart TD"]
    made = {name: f"i{i}" for i, name in enumerate(graph.inputs)}
    lines += [f'  {made[name]}(["{_quoted(name)}"])' for name in graph.inputs]
    copies = {
        (each["tensor"], reader): each for each in found["reorders"] for reader in each["readers"]
    }
    for node in graph.nodes:
        lines.append(f'  n{node.index}["{_quoted(node.name)}<br/>{_quoted(node.op)}"]')
        made |= {name: f"n{node.index}" for name in node.outputs if name}
        for name in dict.fromkeys(node.inputs):
            if name not in made:
                continue  # left out, or a constant
            start = f'  {made[name]} -->|"{_quoted(layout_name(tensors[name]))}"|'
            if copy := copies.get((name, node.name)):
                place = f"r{len(lines)}"
                text = f"{copy['source']} to {copy['target']}<br/>{copy['bytes']:,} bytes"
                lines.append(f'{start} {place}{{{{"{_quoted(text)}"}}}}')
                start = f"  {place} -->"
            lines.append(f"{start} n{node.index}")
    return "\n".join(lines)


def layout_name(placed: Json) -> str:
    """A tensor's layout as the page names it: its short name, or the text that has the strides."""
    text: str | None = placed["layout"] if placed["kind"] == "other" else None
    return text or str(placed["short"])


def _quoted(text: str) -> str:
    """Text of a label: Mermaid reads quotes and angle brackets, but not as entities."""
    kept = printable(text).replace("<br/>", "\n").replace("&", "#amp;").replace('"', "#quot;")
    return kept.replace("<", "#lt;").replace(">", "#gt;").replace("\n", "<br/>")
