"""Which server may listen where, and which process it may end."""

import asyncio
import subprocess
import sys
import textwrap
import tomllib
from typing import Literal

import pytest
import uvicorn
from starlette.types import Message
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from app.api.connections.guard import STATE
from app.api.connections.protocol import GuardedProtocol, adopt
from app.api.connections.server import TESTED_VERSION
from app.main import create_app
from app.settings import Settings
from tests.places import ROOT

WORLD = "0.0.0.0"  # noqa: S104  # nothing is bound: only the lifespan runs
HOST_PROGRAM = textwrap.dedent(
    """
    import asyncio, time
    import uvicorn
    from app import main
    from app.settings import Settings

    main.KERNELS = ()
    application = main.create_app(Settings(stop_seconds=0))
    server = uvicorn.Server(uvicorn.Config(application, port=0, log_level="critical"))

    async def serve_for_a_moment():
        task = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        server.should_exit = True
        await task

    asyncio.run(serve_for_a_moment())
    time.sleep(2.5)  # the program's own work
    print("done")
    """
)


def test_a_program_goes_on_after_it_has_served() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", HOST_PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "done\n"), ended.stderr


def test_connections_of_other_servers_and_protocols_are_left_alone() -> None:
    class Own(HttpToolsProtocol):
        """Somebody's own protocol."""

    adopt()
    loop = asyncio.new_event_loop()
    config = uvicorn.Config(create_app())

    def made(protocol: type[HttpToolsProtocol], state: dict[str, object]) -> type:
        return type(
            protocol(config=config, server_state=ServerState(), app_state=state, _loop=loop)
        )

    assert made(HttpToolsProtocol, {}) is HttpToolsProtocol
    assert made(HttpToolsProtocol, {STATE: None}) is GuardedProtocol
    assert made(Own, {}) is made(Own, {STATE: None}) is Own
    loop.close()


@pytest.mark.parametrize(
    ("version", "http", "host", "allowed", "starts"),
    [
        (TESTED_VERSION, "httptools", WORLD, False, True),
        (TESTED_VERSION, "h11", WORLD, False, False),
        ("0.99.0", "httptools", WORLD, False, False),
        ("0.99.0", "httptools", WORLD, True, True),
        ("0.99.0", "httptools", "::", False, False),
        ("0.99.0", "httptools", "127.0.0.1", False, True),
        ("0.99.0", "httptools", "localhost", False, True),
    ],
)
def test_only_the_tested_server_listens_to_the_world(
    version: str,
    http: Literal["h11", "httptools"],
    host: str,
    *,
    allowed: bool,
    starts: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.main.KERNELS", ())
    monkeypatch.setattr(uvicorn, "__version__", version)
    application = create_app(Settings(allow_untested_server=allowed))
    config = uvicorn.Config(application, http=http, host=host, log_level="critical")
    config.load()
    lifespan = config.lifespan_class(config)

    async def start() -> None:
        await lifespan.startup()
        await lifespan.shutdown()

    asyncio.run(start())
    assert lifespan.should_exit is not starts


@pytest.mark.parametrize(
    ("server", "allowed", "status"),
    [
        (("192.0.2.1", 80), False, 503),
        (("192.0.2.1", 80), True, 200),
        (("127.0.0.1", 80), False, 200),
        (("::1", 80), False, 200),
        (("/run/socket", None), False, 200),
    ],
)
def test_a_server_without_its_lifespan_answers_no_one_from_elsewhere(
    server: tuple[str, int | None], *, allowed: bool, status: int
) -> None:
    application = create_app(Settings(allow_untested_server=allowed))
    scope = {"type": "http", "method": "GET", "path": "/healthz", "headers": [], "server": server}
    sent: list[Message] = []

    async def receive(_: object) -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    cycle = type("RequestResponseCycle", (), {"__module__": "uvicorn.any", "receive": receive})()
    asyncio.run(application({**scope, "query_string": b""}, cycle.receive, send))
    assert sent[0]["status"] == status
    assert (b"--lifespan off" in sent[1]["body"]) == (status == 503)


def test_the_package_asks_for_the_tested_server() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"uvicorn=={TESTED_VERSION}" in project["dependencies"]
    lock = (ROOT / "requirements" / "runtime.lock").read_text("utf-8")
    assert f"\nuvicorn=={TESTED_VERSION} " in lock
