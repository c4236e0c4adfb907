"""Runs the image without an engine: bubblewrap, a read-only root, no capabilities, no shell."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.load.proxy import free_port
from benchmarks.load.replicas import Replica
from tests.image.building import Image

_TEMPORARY = "/tmp"  # noqa: S108  # in memory, and the replica's alone


_SHELLS = ("sh", "bash", "dash", "rbash")
_OWN = (f"--unshare-{what}" for what in ("user", "pid", "ipc", "uts", "cgroup"))
_NAMESPACES = (*_OWN, "--cap-drop", "ALL", "--die-with-parent", "--new-session")
_SYSTEM = ("--proc", "/proc", "--dev", "/dev")
# A program of this machine with nothing that it could write but its own /tmp.
ALONE = ("bwrap", "--ro-bind", "/", "/", *_SYSTEM, "--tmpfs", _TEMPORARY, *_NAMESPACES)


def contained(
    image: Image,
    *command: str,
    variables: Mapping[str, str] | None = None,
    volume: Path | None = None,
) -> list[str]:
    """Return ``command`` as bubblewrap runs it in the image: its user, its root, its variables.

    Only /tmp can be written, in memory. The network is this machine's. The shells of the base
    cannot be run. ``variables``: more of them. ``volume``: a folder of this machine that is
    /tmp/kernels there.
    """
    user, group = image.user.split(":")
    told = {**image.environment, **(variables or {})}
    shells = [f"/usr/bin/{name}" for name in _SHELLS if (image.root / "usr/bin" / name).exists()]
    return [
        *("bwrap", "--ro-bind", str(image.root), "/", *_SYSTEM),
        *(part for shell in shells for part in ("--ro-bind", "/dev/null", shell)),
        *("--tmpfs", _TEMPORARY),
        *(("--bind", str(volume), f"{_TEMPORARY}/kernels") if volume else ()),
        *(*_NAMESPACES, "--uid", user, "--gid", group, "--clearenv"),
        *(part for name, value in told.items() for part in ("--setenv", name, value)),
        *("--chdir", image.folder, *command),
    ]


def replica(
    image: Image,
    log: Path,
    variables: Mapping[str, str] | None = None,
    volume: Path | None = None,
) -> Replica:
    """Return a replica that runs the image's own command on a free port, not yet started."""
    port = free_port()
    told = {**image.environment, "HOST": "127.0.0.1", "PORT": str(port), **(variables or {})}
    here = replace(image, environment=told)
    return Replica(port, log, contained(here, *image.command, volume=volume))
