"""The committed proxy before replicas on loopback, with a certificate made for the occasion."""

import shutil
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_COMMITTED = Path(__file__).parents[2] / "deploy" / "proxy"
_START_LIMIT_S = 20


@dataclass(frozen=True, slots=True)
class Proxy:
    """A running proxy: its ports, and a context that trusts its certificate and no other."""

    port: int
    plain_port: int
    trust: ssl.SSLContext

    @property
    def url(self) -> str:
        """What callers use."""
        return f"https://localhost:{self.port}"


def free_port() -> int:
    """Return a port of loopback that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def copy(folder: Path, replicas: Sequence[int]) -> Path:
    """Copy the committed files to ``folder``, which must not exist, before other replicas.

    Makes a certificate. Returns the path of nginx.conf.
    """
    shutil.copytree(_COMMITTED, folder, ignore=shutil.ignore_patterns("tls"))
    (folder / "tls").mkdir()
    servers = [f"server 127.0.0.1:{each} max_fails=3 fail_timeout=2s;\n" for each in replicas]
    (folder / "upstream.conf").write_text("".join(servers))
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
            "-keyout",
            folder / "tls" / "key.pem",
            "-out",
            folder / "tls" / "certificate.pem",
        ],
        check=True,
        capture_output=True,
    )
    return folder / "nginx.conf"


def name(folder: Path, port: int, plain_port: int) -> None:
    """Let the proxy in ``folder`` listen on these ports of loopback."""
    plain = f"listen 127.0.0.1:{plain_port};\nserver_name localhost:{port};\n"
    (folder / "name.conf").write_text(plain)
    secure = f"listen 127.0.0.1:{port} ssl http2;\nserver_name localhost;\n"
    (folder / "name-tls.conf").write_text(secure)


def check(config: Path) -> None:
    """Let nginx check its configuration. Errors: CalledProcessError."""
    subprocess.run(["nginx", "-t", "-q", "-c", config], check=True)


@contextmanager
def proxy(folder: Path, replicas: Sequence[int], within: Sequence[str] = ()) -> Iterator[Proxy]:
    """Run nginx before ``replicas``, ports of loopback. ``folder`` must not exist; it gets logs.

    ``within``: the start of a command that runs nginx with less than this process may do.
    """
    port, plain_port = free_port(), free_port()
    config = copy(folder, replicas)
    name(folder, port, plain_port)
    check(config)
    trust = ssl.create_default_context(cafile=str(folder / "tls" / "certificate.pem"))
    command = [*within, "nginx", "-g", "daemon off;", "-c", str(config)]
    with (folder / "out").open("w") as out, (folder / "errors").open("w") as errors:
        process = subprocess.Popen(command, stdout=out, stderr=errors)
        try:
            _wait(port)
            yield Proxy(port, plain_port, trust)
        finally:
            process.terminate()
            process.wait(timeout=10)


def _wait(port: int) -> None:
    deadline = time.monotonic() + _START_LIMIT_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


if __name__ == "__main__":  # the committed files, without what differs from place to place
    with tempfile.TemporaryDirectory() as scratch:
        check(copy(Path(scratch) / "proxy", [8000]))
