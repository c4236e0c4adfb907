"""What an answer may consist of beside what JSON has: arrays, long lists, the engine's dataclasses.

orjson encodes dataclasses and arrays itself, several times faster than dicts that are made of them.
Only dataclasses with slots: of others it would encode what they keep beside their fields too.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any


def plain(value: Any) -> Any:
    """A dataclass as a dict, an array or a long list as a list; the ``default`` of json.dumps."""
    if is_dataclass(value):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    return value.tolist()
