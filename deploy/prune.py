"""Removes from a virtual environment what no program reads while it runs.

``python deploy/prune.py .venv``, before the bytecode is written. Tests, sources and headers of C,
type stubs, tools that build packages, further copies of one file, and symbols of shared libraries
(where ``strip`` is on the path). What the program needs is proved by `make image-test`.
"""

from __future__ import annotations

import filecmp
import shutil
import subprocess
import sys
from pathlib import Path

# Folders at any depth. `testing` of NumPy stays: other packages import it.
_FOLDERS = ("tests", "__pycache__", "include")
# Parts of packages, as globs below site-packages. Each is the package's own test data or a tool.
_PARTS = (
    "numba/cuda",  # what drives a card by Numba: cuda/ of the engine asks CuPy
    "numba/pycc",
    "numpy/distutils",
    "numpy/f2py",
    "numpy/_pyinstaller",
    "onnx/backend",
    "onnx/bin",
    "onnx/reference",
    "onnx/test",
    "highspy/lib*/cmake",
    "numpy/_core/_simd*.so",
    "numpy/_core/_*_tests*.so",
    "pygments/lexers/_*_builtins.py",
    "pygments/lexers/[a-oq-z]*.py",  # rich colours Python alone
)
_SUFFIXES = frozenset({".a", ".c", ".cc", ".cpp", ".cu", ".h", ".hpp", ".pxd", ".pyi", ".pyx"})


def remove(packages: Path) -> None:
    """Remove files that are read only when a package is built or tested."""
    for part in _PARTS:
        for found in packages.glob(part):
            _delete(found)
    for path in sorted(packages.rglob("*")):
        named = path.name in _FOLDERS and path.is_dir()
        if path.exists() and (named or (path.is_file() and path.suffix in _SUFFIXES)):
            _delete(path)


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def link_copies(packages: Path) -> None:
    """Make equal shared libraries of one folder one file: a wheel cannot hold links."""
    first: dict[tuple[Path, int], Path] = {}
    for path in sorted(packages.rglob("*.so*")):
        if path.is_symlink() or not path.is_file():
            continue
        one = first.setdefault((path.parent, path.stat().st_size), path)
        if one != path and filecmp.cmp(one, path, shallow=False):
            path.unlink()
            path.symlink_to(one.name)


def strip(packages: Path) -> None:
    """Remove the symbols that no linker of a running program looks at."""
    tool = shutil.which("strip")
    if tool is None:
        sys.stderr.write("strip is not installed: symbols stay\n")
        return
    for path in packages.rglob("*.so*"):
        # The libraries that a wheel brings are changed by patchelf, which strip may break.
        bundled = path.parent.name.endswith(".libs")
        if path.is_file() and not path.is_symlink() and not bundled:
            subprocess.run([tool, "--strip-unneeded", path], check=True)  # noqa: S603  # found by which


def main(environment: Path) -> None:
    """Prune ``environment``, a virtual environment."""
    for packages in environment.glob("lib/python*/site-packages"):
        remove(packages)
        link_copies(packages)
        strip(packages)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
