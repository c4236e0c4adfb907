"""Where an operator was called from: the module's path and the caller's own line.

Both are read off the stack of Python, so that nothing is registered with the modules: hooks of
theirs would be part of what torch.compile compiles, and would make it warn.
"""

from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple
from weakref import ref

_HERE: Final = str(Path(__file__).parent)


class Line(NamedTuple):
    """A place in a code: its instruction in bytes, of which the line is found when it is shown."""

    code: CodeType
    instruction: int

    def __str__(self) -> str:
        """``model.py:42``: the last part of the path and the line."""
        lines = ((stop, line) for _, stop, line in self.code.co_lines() if line is not None)
        line = next((line for stop, line in lines if self.instruction < stop), 0)
        return f"{Path(self.code.co_filename).name}:{line}"


class Places:
    """Finds the module and the line of the code that runs; made once for each trace.

    A module's path is that in the outermost module which was called when it was first seen.
    """

    def __init__(self, torch: Any) -> None:
        self._call: CodeType = torch.nn.Module._call_impl.__code__
        self._library = (str(Path(torch.__file__).parent), _HERE, "<frozen", "<string>")
        self._own: dict[CodeType, bool] = {}
        self._paths: dict[ref[Any], str] = {}

    def of(self, frame: FrameType | None) -> tuple[str, tuple[CodeType, int] | None]:
        """Path of the innermost module that is being called, and ``Line`` of its caller's code."""
        line = inner = None
        own, call = self._own, self._call
        while frame is not None and (line is None or inner is None):
            code = frame.f_code
            if code is call:
                inner = inner or frame
            elif line is None:
                mine = own.get(code)
                if mine is None:
                    mine = own[code] = not code.co_filename.startswith(self._library)
                if mine:
                    line = (code, frame.f_lasti)
            frame = frame.f_back
        if inner is None:
            return "", line
        # Locals are made for each question: for the innermost module alone.
        path = self._paths.get(ref(inner.f_locals["self"]))
        return self._named(inner) if path is None else path, line

    def _named(self, inner: FrameType) -> str:
        """Name all modules of the outermost one; the path of the innermost one."""
        root, frame = inner, inner.f_back
        while frame is not None:
            root = frame if frame.f_code is self._call else root
            frame = frame.f_back
        for path, module in root.f_locals["self"].named_modules():
            self._paths.setdefault(ref(module), path.removeprefix("_orig_mod").lstrip("."))
        module = inner.f_locals["self"]
        return self._paths.setdefault(ref(module), type(module).__name__)
