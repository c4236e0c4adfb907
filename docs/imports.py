"""Write docs/imports.md: the imports between the parts of ``app`` as a picture, from the code.

Imports inside functions and for types alone count. Run it as ``python docs/imports.py``;
``--check`` writes nothing and fails if the page is not what the code says. A circle of imports
between modules is refused in both ways.
"""

from __future__ import annotations

import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

TARGET = Path(__file__).with_suffix(".md")
# Shown by their own parts; every other package of app is one box.
OPENED = ("app", "app.engine")
INTRODUCTION = """# Imports

Who imports whom in `app`, drawn by `python docs/imports.py` from the code. An arrow leads to what
is imported, imports inside functions and for types alone included. An arrow that other arrows imply
is left out. There is no circle, neither between these parts nor between modules; `make floors`
keeps it so.
"""


def part_of(module: str) -> str:
    """The box of a module: the longest opened package above it, and one name more."""
    above = max((p for p in OPENED if module == p or module.startswith(f"{p}.")), key=len)
    return ".".join(module.split(".")[: above.count(".") + 2])


def drawn(imports: dict[str, set[str]]) -> str:
    """Mermaid text. An arrow is left out where a longer way leads to the same part."""
    reached: dict[str, set[str]] = {}
    for part in TopologicalSorter(imports).static_order():
        direct = imports.get(part, set())
        reached[part] = direct.union(*(reached[other] for other in direct))
    lines = ["graph TD"]
    for part, direct in sorted(imports.items()):
        lines.append(f'    {part}["{part.removeprefix("app.")}"]')
        implied = set[str]().union(*(reached[other] for other in direct))
        lines += [f"    {part} --> {other}" for other in sorted(direct - implied)]
    return "\n".join(lines)


def document() -> str:
    """The whole page. Errors: SystemExit naming the modules of a circle."""
    graph = grimp.build_graph("app", exclude_type_checking_imports=False)
    by_module = {m: set(graph.find_modules_directly_imported_by(m)) for m in graph.modules}
    # A package's face only hands on what its modules define, and imports them.
    faces = {m for m in by_module if any(other.startswith(f"{m}.") for other in by_module)}
    inner = {m: found - faces for m, found in by_module.items() if m not in faces}
    parts: dict[str, set[str]] = {}
    for module, found in by_module.items():
        if module not in OPENED:
            mine = parts.setdefault(part_of(module), set())
            mine |= {part_of(other) for other in found if other not in OPENED} - {part_of(module)}
    try:
        TopologicalSorter(inner).prepare()
        picture = drawn(parts)
    except CycleError as error:
        raise SystemExit(f"a circle of imports: {' -> '.join(error.args[1])}") from None
    return f"{INTRODUCTION}\n```mermaid\n{picture}\n```\n"


if __name__ == "__main__":
    page = document()
    if "--check" not in sys.argv:
        TARGET.write_text(page, encoding="utf-8")
    elif page != TARGET.read_text(encoding="utf-8"):
        raise SystemExit(f"{TARGET.name} is stale: run python docs/imports.py")
