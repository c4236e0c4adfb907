"""The program: its commands, and those that serve, compile, measure and list."""

import os
import platform
import subprocess
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

import numpy as np
import typer
from typer import Argument, Option

from .. import engine
from ..contract.answers import answer_formats
from ..engine import KERNELS
from ..engine.model.errors import LayoutError, phrase
from ..engine.notation.formats import FORMATS
from ..engine.reorder.kernels import store as kernel_store
from ..package import version
from . import benchmark, tables, tensor_commands
from .arguments import AsJson, Threads, show
from .learn_command import learn
from .network_command import network
from .picture_command import picture
from .picture_command import show as show_file
from .refusals import RefusingGroup
from .reorder_command import reorder
from .run_command import RunCommand, run
from .tables import ITEMS, bar

# A worker that says nothing for so long is replaced, and its calls are lost. On a busy machine a
# healthy one may take longer than uvicorn's five seconds only to start.
_SILENT_S: Final = 60
_COMPILE = f"from {engine.__name__} import KERNELS; [list(each.compiling()) for each in KERNELS]"

app = typer.Typer(
    cls=RefusingGroup,
    name="stridescope",
    help="See how a tensor lies in memory.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _say_versions(asked: bool) -> None:  # noqa: FBT001  # typer calls it with the option's value
    """Print the versions and end the program, if ``asked``."""
    if not asked:
        return
    missing = next((each.missing for each in KERNELS if each.missing), "")
    kernels = f"NumPy ({missing})" if missing else f"Numba {metadata.version('numba')}"
    typer.echo(f"stridescope {version()}")
    typer.echo(f"Python {platform.python_version()}")
    typer.echo(f"NumPy {np.__version__}")
    typer.echo(f"kernels: {kernels}")
    raise typer.Exit


@app.callback()
def options(
    *,
    version: Annotated[
        bool,
        Option(
            "--version", callback=_say_versions, is_eager=True, help="Versions, kernels in use."
        ),
    ] = False,
) -> None:
    """See how a tensor lies in memory."""


@app.command()
def serve(
    host: Annotated[str, Option(envvar="HOST", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, Option(envvar="PORT", min=1, max=65535)] = 8000,
    workers: Annotated[
        int,
        Option(
            envvar="WEB_CONCURRENCY",
            min=1,
            help="Processes that answer. They share nothing: each has the limits of the settings.",
        ),
    ] = 1,
) -> None:
    """Serve the explorer and the API."""
    import uvicorn  # noqa: PLC0415 - the other commands need no server

    from ..settings import Settings  # noqa: PLC0415 - nor settings of one

    if workers > 1 and Settings().metrics_port is not None:
        raise LayoutError("workers", workers, phrase("workers.metrics"))
    uvicorn.run(
        f"{__package__.rpartition('.')[0]}.main:app",
        host=host,
        port=port,
        workers=workers,
        timeout_worker_healthcheck=_SILENT_S,
    )


@app.command()
def kernels(folder: Annotated[Path, Argument(help="Where to write them; it may exist.")]) -> None:
    """Compile the fast kernels ahead of time, for every kind of processor of this machine's family.

    A process with STRIDESCOPE_KERNELS=FOLDER reads them, also from a folder that is read-only.
    """
    if find_spec("numba") is None:
        raise LayoutError("numba", None, phrase("numba.extra"))
    folder.mkdir(parents=True, exist_ok=True)  # an error about it is one of this process
    for level in kernel_store.LEVELS.get(platform.machine(), ()):
        # Numba compiles for one processor in the life of a process.
        chosen = kernel_store.environment(level, folder.resolve())
        path = os.pathsep.join(filter(None, sys.path))
        subprocess.run(  # noqa: S603  # this program's own code
            [sys.executable, "-c", _COMPILE],
            env={**os.environ, **chosen, "PYTHONPATH": path},
            check=True,
        )
        typer.echo(level)


for each in (
    tensor_commands.describe,
    tensor_commands.offsets,
    tensor_commands.slice_,
    tensor_commands.cost,
    tensor_commands.read,
    tensor_commands.view,
    tensor_commands.elementwise,
    tensor_commands.schedule,
    reorder,
    network,
    learn,
    picture,
    show_file,
):
    app.command(each.__name__.rstrip("_"))(each)
app.command("run", cls=RunCommand)(run)


@app.command()
def bench(
    size: Annotated[str, Option(help="Size of a tensor: 64MB, 1.5GiB.")] = "64MB",
    threads: Threads = None,
    rounds: Annotated[int, Option(min=1, help="Rounds for the median.")] = 7,
    as_json: AsJson = False,
) -> None:
    """Measure how fast this machine reorders, relative to how fast it copies."""
    sizes_bytes = sorted({benchmark.SMALL_BYTES, benchmark.tensor_bytes(size)}, reverse=True)
    cases = [case for s in sizes_bytes for case in benchmark.cases(s)]
    rows = []
    with bar("bench", len(cases), ITEMS, shown=not as_json) as advance:
        for case in cases:
            rows.append(benchmark.measured(case, threads=threads, rounds=rounds))
            advance(1)
    answer = benchmark.answer(rows, threads=threads, rounds=rounds)
    show(answer, lambda: benchmark.report(answer), as_json=as_json)


@app.command()
def formats(as_json: AsJson = False) -> None:
    """List the catalogue of named formats."""
    rows = ((f.system, f.name, f.dims, f.summary) for f in FORMATS)
    table = tables.columns("system", "format", "dims", "what it is", rows=rows)
    show(answer_formats(), lambda: [table], as_json=as_json)
