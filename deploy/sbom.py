"""Prints what the image is made of above its base, as a CycloneDX document.

``python deploy/sbom.py [3.13]``: the packages of requirements/runtime.lock that are installed on
Linux under this version of Python, by default that of the Dockerfile's base; which of them needs
which, and the licences that the same packages declare where they are installed here.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

from packaging.markers import Marker

ROOT = Path(__file__).parents[1]
_ENTRY = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[^ ]+)(?: ; (?P<marker>.+?))? \\$")
_PROGRAM = "stridescope"
_LINUX = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}


@dataclass(frozen=True, slots=True)
class Package:
    """One package of the lock. ``needed_by``: names of packages, the program's own among them."""

    name: str
    version: str
    needed_by: frozenset[str]

    @property
    def reference(self) -> str:
        """Its package URL."""
        return f"pkg:pypi/{self.name}@{self.version}"


def packages(lock: str, python: str) -> Iterator[Package]:
    """The packages of a lock that a version of Python installs on Linux."""
    told = {**_LINUX, "python_version": python, "python_full_version": f"{python}.0"}
    for entry in re.split(r"\n(?=\w)", lock):
        found = _ENTRY.match(entry.split("\n", 1)[0])
        if found is None:  # what stands before the first
            continue
        _, _, via = entry.partition("# via")
        if found["marker"] is None or Marker(found["marker"]).evaluate(told):
            yield Package(
                found["name"],
                found["version"],
                frozenset(re.findall(r"[a-z][\w-]+(?= \(|$)", via, re.MULTILINE)),
            )


def python_of_base() -> str:
    """The version of Python in the Dockerfile's base."""
    found = re.search(
        r"^ARG BASE=python:(\d+\.\d+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE
    )
    assert found is not None
    return found[1]


def document(python: str) -> dict[str, Any]:
    """The document, the same for the same lock and the same installed packages."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found = list(packages((ROOT / "requirements/runtime.lock").read_text("utf-8"), python))
    references = {_PROGRAM: _PROGRAM} | {each.name: each.reference for each in found}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": _PROGRAM,
                "name": project["name"],
                "version": project["version"],
                "description": project["description"],
            }
        },
        "components": [
            {
                "type": "library",
                "bom-ref": each.reference,
                "name": each.name,
                "version": each.version,
                "purl": each.reference,
                **_licences(each),
            }
            for each in found
        ],
        "dependencies": [
            {
                "ref": reference,
                "dependsOn": sorted(each.reference for each in found if name in each.needed_by),
            }
            for name, reference in references.items()
        ],
    }


def _licences(package: Package) -> dict[str, Any]:
    try:
        said = metadata(package.name)
    except PackageNotFoundError:
        return {}
    if "License-Expression" in said:
        return {"licenses": [{"expression": said["License-Expression"]}]}
    classes = [each for each in said.get_all("Classifier") or () if each.startswith("License")]
    if not classes and "License" in said:
        classes = [said["License"]]
    names = [each.rpartition(" :: ")[2] for each in classes]
    named = [name.strip().split("\n")[0] for name in names]
    return {"licenses": [{"license": {"name": name}} for name in named if name]}


if __name__ == "__main__":
    python = sys.argv[1] if len(sys.argv) > 1 else python_of_base()
    json.dump(document(python), sys.stdout, indent=1)
    sys.stdout.write("\n")
