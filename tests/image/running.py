"""Runs the image without an engine: bubblewrap, a root that is read-only, no capabilities."""

from __future__ import annotations

from pathlib import Path

from benchmarks.load.proxy import free_port
from benchmarks.load.replicas import Replica
from tests.image.building import Image

_TEMPORARY = "/tmp"  # noqa: S108  # in memory, and the replica's alone


def contained(image: Image, *command: str) -> list[str]:
    """Return ``command`` as bubblewrap runs it in the image: its user, its root, its variables.

    Only /tmp can be written, in memory. The network is this machine's.
    """
    user, group = image.user.split(":")
    variables = [part for name, value in image.environment.items() for part in (name, value)]
    pairs = zip(variables[::2], variables[1::2], strict=True)
    return [
        "bwrap", "--ro-bind", str(image.root), "/", "--proc", "/proc", "--dev", "/dev",
        "--tmpfs", _TEMPORARY, "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
        "--unshare-cgroup", "--uid", user, "--gid", group, "--cap-drop", "ALL",
        "--die-with-parent", "--new-session", "--clearenv",
        *(part for name, value in pairs for part in ("--setenv", name, value)),
        "--chdir", image.folder, *command,
    ]  # fmt: skip


def replica(image: Image, log: Path) -> Replica:
    """Return a replica that runs the image's own command on a free port, not yet started."""
    port = free_port()
    told = {**image.environment, "HOST": "127.0.0.1", "PORT": str(port)}
    here = Image(
        image.root, image.base_bytes, image.command, told, image.folder, image.user, image.labels
    )
    return Replica(port, log, contained(here, *image.command))
