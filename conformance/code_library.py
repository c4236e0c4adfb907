"""Compiles generated oneDNN code against the headers of several versions, and runs it.

The samples of one language go into one file as they are; only the names that they define are made
distinct. A reorder from plain memory then shows where each descriptor puts each element.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# Per version: the folder of its headers and library below sys.prefix; whether the library is there.
# The library of 3.13 needs a runtime of SYCL, so that its samples are compiled, not run.
VERSIONS: Final = {"2.6": ("onednn-2.6", True), "3.2": ("onednn-3.2", True), "3.13": ("", False)}
_NAMES: Final = ("md", "make_md")
_MAIN: Final = Path(__file__).with_name("code_run.cpp")


@dataclass(frozen=True, slots=True)
class Sample:
    """One generated text and what is needed to run it.

    ``elements``: those of the whole buffer, None for a descriptor that no reorder can fill.
    ``offset_bytes``: what the text's last comment adds to the buffer.
    """

    text: str
    shape: tuple[int, ...]
    elements: int | None
    offset_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Ran:
    """The result for one sample: its size in bytes, and its buffer of float32 after a reorder."""

    size_bytes: int
    buffer: tuple[float, ...] | None


def compiled(version: str, language: str, samples: Sequence[Sample]) -> str:
    """The compiler's first error for all samples in one file; empty if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        return _compile(version, language, samples, Path(folder)).stderr.strip()[:400]


def ran(version: str, language: str, samples: Sequence[Sample]) -> list[Ran]:
    """The results of all samples. Errors: ImportError if they do not compile, link or run."""
    home = _home(version)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program, library = folder / "program", home / "lib"
        done = _compile(version, language, samples, folder)
        if not done.returncode:
            objects = [str(folder / "samples.o")]
            done = _call(
                "g++",
                "-std=c++17",
                "-O0",
                f"-I{home / 'include'}",
                f"-I{folder}",
                str(_MAIN),
                *objects,
                f"-L{library}",
                "-ldnnl",
                f"-Wl,-rpath,{library}",
                "-o",
                str(program),
            )
        if not done.returncode:
            done = _call(str(program))
        if done.returncode:
            raise ImportError(f"oneDNN {version}, {language}: {done.stderr.strip()[:400]}")
        return [_result(line) for line in done.stdout.splitlines()]


def _result(line: str) -> Ran:
    size, *values = line.split()
    return Ran(int(size), tuple(map(float, values)) if values else None)


def _home(version: str) -> Path:
    home = Path(sys.prefix) / VERSIONS[version][0]
    if not (home / "include" / "dnnl.h").is_file():
        raise ImportError(f"no headers of oneDNN {version}")
    return home


def _compile(
    version: str, language: str, samples: Sequence[Sample], folder: Path
) -> subprocess.CompletedProcess[str]:
    """Write samples.cpp or samples.c and jobs.inc, and compile the first to samples.o."""
    lines: list[str] = []
    for i, sample in enumerate(samples):
        lines += [f"#define {name} {name}_{i}" for name in _NAMES]
        lines += [sample.text, *(f"#undef {name}" for name in _NAMES)]
    cpp = language == "C++"
    for i in range(len(samples)):
        if cpp:
            lines.append(f"static const memory::desc &get_{i}() {{ return md_{i}; }}")
    source = folder / ("samples.cpp" if cpp else "samples.c")
    source.write_text("\n".join([*lines, *_tables(language, len(samples))]), "utf-8")
    jobs = [
        f"{{{{{', '.join(map(str, s.shape))}}}, {-1 if s.elements is None else s.elements}, "
        f"{s.offset_bytes}}}"
        for s in samples
    ]
    kind = {"C++": "cpp", "C 3": "c3", "C 2": "c2"}[language]
    (folder / "jobs.inc").write_text(f"#define {kind}\n" + _JOBS.format(",\n".join(jobs)), "utf-8")
    command = ["g++", "-std=c++17"] if cpp else ["gcc", "-std=c11", "-Werror"]
    return _call(
        *command,
        "-O0",
        "-Wall",
        f"-I{_home(version) / 'include'}",
        "-c",
        str(source),
        "-o",
        str(folder / "samples.o"),
    )


_JOBS: Final = "static const std::vector<Job> jobs = {{\n{}\n}};\n"


def _tables(language: str, count: int) -> list[str]:
    """The function through which the program reaches each descriptor."""
    each = range(count)
    if language == "C++":
        rows = ", ".join(f"get_{i}" for i in each)
        return [
            f"static const memory::desc &(*const all[])() = {{{rows}}};",
            "memory::desc descriptor(int i) { return all[i](); }",
        ]
    if language == "C 2":
        rows = ", ".join(f"&md_{i}" for i in each)
        return [
            f"static const dnnl_memory_desc_t *const all[] = {{{rows}}};",
            "const dnnl_memory_desc_t *descriptor(int i) { return all[i]; }",
        ]
    rows = ", ".join(f"make_md_{i}" for i in each)
    pointers = ", ".join(f"&md_{i}" for i in each)
    return [
        f"static dnnl_status_t (*const make[])(void) = {{{rows}}};",
        f"static dnnl_memory_desc_t *const all[] = {{{pointers}}};",
        "dnnl_memory_desc_t descriptor(int i) "
        "{ return make[i]() == dnnl_success ? *all[i] : (dnnl_memory_desc_t)0; }",
    ]


def _call(*command: str) -> subprocess.CompletedProcess[str]:
    threads = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=threads)  # noqa: S603  # commands written here
