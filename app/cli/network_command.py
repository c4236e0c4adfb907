"""``stridescope network``: what a rule set or the planner says of a network."""

from typing import Annotated

import typer
from typer import Argument, Option

from ..engine.model.errors import Phrase
from ..engine.network import RULE_SETS
from ..engine.network.examples import EXAMPLES
from . import networks
from .arguments import AsJson, not_beside, refuse, show
from .refusals import printable


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
            "†: read in its source, never held against it running.",
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
        expected = Phrase("source.onnx", "an .onnx file, whose sizes may be open")
        refuse({"size": sizes}, expected)
    if mermaid:
        refuse({"plan": plan, "svg": svg, "json": as_json}, not_beside("--mermaid"))
    if svg:
        refuse({"json": as_json}, not_beside("--svg"))
    found = networks.opened(source, networks.sizes_of(sizes))
    said = networks.Asked(found, rules, networks.options_of(options), plan=plan)
    if found.assumed and (as_json or svg or mermaid):
        typer.echo(f"stridescope: {printable(found.assumptions)}", err=True)
    if svg:
        typer.echo(said.svg(), nl=False)
    elif mermaid:
        typer.echo(said.mermaid())
    else:
        show(said.json(), said.tables, as_json=as_json)
