"""Builds the image without a Docker engine: Debian's buildah on a base made by mmdebstrap.

Needs root. What this machine tells pip and apt about its registries is bound into the build and
is in no layer.
"""

import ast
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlparse

from tests.places import ROOT

SCRATCH = ROOT / "build" / "image"
BASE = "localhost/stridescope-base"
IMAGE = os.environ.get("IMAGE", "localhost/stridescope")
_ENGINE = {"STORAGE_DRIVER": "vfs", "BUILDAH_ISOLATION": "chroot"}
_PACKAGES = "python3,python3-venv,ca-certificates"


@dataclass(frozen=True, slots=True)
class Image:
    """A built image. ``root``: its files, mounted. The rest as its configuration says it.

    ``health``: the command that says whether it is well.
    """

    root: Path
    command: tuple[str, ...]
    environment: dict[str, str]
    folder: str
    user: str
    labels: dict[str, str]
    health: tuple[str, ...]


def run(*command: str | Path, **variables: str) -> str:
    """Run a command and return what it prints; its errors go to ours."""
    environment = {**os.environ, **_ENGINE, **variables}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def base() -> None:
    """Make the base once: the least Debian of this machine's release that has Python."""
    archive = SCRATCH / "base.tar"
    if not archive.exists():
        SCRATCH.mkdir(parents=True, exist_ok=True)
        release = dict(
            line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines()
        )
        part = archive.with_suffix(".part.tar")
        wanted = ("--variant=minbase", f"--include={_PACKAGES}")
        run("mmdebstrap", "--quiet", *wanted, release["VERSION_CODENAME"], part)
        part.rename(archive)
    if f"{BASE}:latest" not in run("buildah", "images", "--format", "{{.Name}}:{{.Tag}}"):
        container = run("buildah", "from", "scratch").strip()
        run("buildah", "add", "--quiet", container, archive, "/")
        run("buildah", "commit", "--quiet", "--rm", container, BASE)


def pip_settings() -> list[str]:
    """Return volumes with what pip is told on this machine: one file, and the paths it names."""
    said = ConfigParser(interpolation=None)
    listed = run(sys.executable, "-m", "pip", "config", "list")
    paths: set[Path] = set()
    for line in listed.splitlines():
        name, _, quoted = line.partition("=")
        _, _, option = name.rpartition(".")
        value = str(ast.literal_eval(quoted))
        if not said.has_section("global"):
            said.add_section("global")
        said.set("global", option, value)
        for word in value.split():
            named = Path(urlparse(word).path if word.startswith("file:") else word)
            if named.is_absolute() and named.exists():  # an index links to files beside it
                paths.add(named.parent if named.name == "simple" else named)
    file = SCRATCH / "pip.conf"
    with file.open("w") as out:
        said.write(out)
    return [f"{file}:/etc/pip.conf:ro", *(f"{path}:{path}:ro" for path in sorted(paths))]


def apt_settings() -> list[str]:
    """Return volumes with what apt is told on this machine."""
    folders = (Path("/etc/apt/apt.conf.d"), Path("/etc/apt/auth.conf.d"))
    return [f"{path}:{path}:ro" for path in folders if path.is_dir()]


def build() -> None:
    """Build the image of this checkout, or only what has changed in it."""
    base()
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    revision = run("git", "-C", ROOT, "rev-parse", "HEAD").strip()
    created = run("git", "-C", ROOT, "show", "--no-patch", "--format=%cI", "HEAD").strip()
    given = {
        "BASE": BASE,
        "VERSION": version,
        "REVISION": revision,
        "CREATED": created,
        "SOURCE": ROOT.as_uri(),
    }
    arguments = [f"--build-arg={name}={value}" for name, value in given.items()]
    volumes = [f"--volume={each}" for each in (*pip_settings(), *apt_settings())]
    tag = f"--tag={IMAGE}"
    # Docker's own format has a place for the health check, which OCI's has not.
    how = ("--layers", "--pull-never", "--format=docker")
    run("buildah", "build", *how, *arguments, *volumes, tag, ROOT)


@contextmanager
def mounted() -> Iterator[Image]:
    """Mount the built image; its files are below ``root`` until the block ends."""
    container = run("buildah", "from", "--pull-never", IMAGE).strip()
    try:
        yield _image(container)
    finally:
        run("buildah", "rm", container)


def _image(container: str) -> Image:
    config = json.loads(run("buildah", "inspect", container))["Docker"]["config"]
    return Image(
        root=Path(run("buildah", "mount", container).strip()),
        command=tuple(config["Cmd"]),
        environment=dict(each.split("=", 1) for each in config["Env"]),
        folder=config["WorkingDir"],
        user=config["User"],
        labels=config["Labels"],
        health=tuple(config["Healthcheck"]["Test"][1:]),
    )
