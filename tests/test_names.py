"""A name means one thing in all of ``app``."""

import ast
from collections import defaultdict
from pathlib import Path

APP = Path(__file__).parent.parent / "app"


def test_a_class_has_a_name_of_its_own() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in APP.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(APP)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
