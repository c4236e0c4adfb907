"""Where an operator was called from: the module's path and the caller's own line.

Both are read off the stack of Python, so that nothing is registered with the modules: hooks of
theirs would be part of what torch.compile compiles, and would make it warn.
"""

from __future__ import annotations

from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final
from weakref import WeakKeyDictionary

_HERE: Final = str(Path(__file__).parent)


class Places:
    """Finds the module and the line of the code that runs; made once for each trace."""

    def __init__(self, torch: Any) -> None:
        self._module = torch.nn.Module
        self._call: CodeType = torch.nn.Module._call_impl.__code__
        self._library = (str(Path(torch.__file__).parent), _HERE, "<frozen", "<string>")
        self._own: dict[CodeType, bool] = {}
        self._names: WeakKeyDictionary[Any, WeakKeyDictionary[Any, str]] = WeakKeyDictionary()

    def of(self, frame: FrameType | None) -> tuple[str, tuple[str, int] | None]:
        """Path of the innermost module that is being called, file and line of its caller's code."""
        line = None
        modules: list[FrameType] = []
        own, call = self._own, self._call
        while frame is not None:
            code = frame.f_code
            if code is call:
                modules.append(frame)
            elif line is None:
                mine = own.get(code)
                if mine is None:
                    mine = own[code] = not code.co_filename.startswith(self._library)
                if mine:
                    line = (code.co_filename, frame.f_lineno)
            frame = frame.f_back
        return self._path(modules), line

    def _path(self, frames: list[FrameType]) -> str:
        """The name of the innermost module in the outermost one."""
        if not frames:
            return ""
        inner, root = (frames[i].f_locals.get("self") for i in (0, -1))
        if not isinstance(inner, self._module) or not isinstance(root, self._module):
            return ""
        found = self._names.get(root)
        name = None if found is None else found.get(inner)
        if name is None:
            found = self._names[root] = WeakKeyDictionary()
            for path, module in root.named_modules():
                found[module] = path.removeprefix("_orig_mod").lstrip(".")
            name = found.setdefault(inner, type(inner).__name__)
        return name


def shown_line(line: tuple[str, int] | None) -> str:
    """``model.py:42``: the last part of the path and the line."""
    return "" if line is None else f"{Path(line[0]).name}:{line[1]}"
