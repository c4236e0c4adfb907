"""Reads a log of oneDNN's verbose mode, of 1.0 to 3.13, with whatever stands between its lines.

    line = [text] ("mkldnn" | "dnnl" | "onednn") "_verbose," ["v1,"] [timestamp ","]
           [component ","] operation "," …

Equal lines are parsed once: a log of a million lines costs little more than finding their times.
Source: oneDNN src/common/verbose.cpp and verbose.hpp; doc/performance/verbose.md.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from .events import Execution, OtherLines, Recorded, Skipped, SkippedLine, shown
from .onednn_line import columns_of, read_execution, unreadable_because

_LINE = re.compile(r"[^\n\r]+")
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_START = re.compile(r"(mkldnn|dnnl|onednn)_verbose,(?:v[0-9]+,)?(?:[0-9]+(?:\.[0-9]+)?,)?")
_TIME = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?|nan|inf)", re.ASCII)
_FRACTION = re.compile(r"[0-9]+(?:e[-+]?[0-9]+)?", re.ASCII)
_COMPONENTS: Final = frozenset({"primitive", "graph", "common", "ukernel", "rtc"})
_MESSAGES: Final = frozenset({"error", "warn", "debuginfo"})
_VERSION = re.compile(r"(?:oneDNN|DNNL|MKL-DNN|Intel MKL-DNN) v[0-9][\w.+-]*")
_LONGEST: Final = 1 << 16  # of a line that is read: oneDNN's are shorter
_SHOWN_LINES: Final = 20
_MOST_HEADER: Final = 64
MOST_MS: Final = 1e15  # 30,000 years: a time beyond it is no time
MOST_KINDS: Final = 20_000  # different executions whose operands are read: 0.1 ms each
_MANY: Final = (
    "The log has more than {:,} different executions: of {:,} others only primitive, "
    "implementation and time are read, not their operands."
)
_CUT: Final = "The last line seems to be cut: it is not counted."
_FILTERED: Final = "The log was written with a filter: it is not the whole run."


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What the lines with one beginning are: an event's kind, other lines, or a reason to skip.

    ``whole``: the digits before a decimal comma, where the time is written with one.
    """

    kind: int = -1
    other: str = ""
    skip: str = ""
    timed: bool = False
    whole: str | None = None


@dataclass(slots=True)
class _Reader:
    """The state of one reading."""

    ids: array[int] = field(default_factory=lambda: array("i"))
    ms: array[float] = field(default_factory=lambda: array("d"))
    kinds: list[Execution] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    meanings: dict[str, _Meaning] = field(default_factory=dict)
    other_lines: Counter[str] = field(default_factory=Counter)
    other_ms: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    header: dict[str, None] = field(default_factory=dict)
    versions: dict[str, None] = field(default_factory=dict)
    reasons: dict[tuple[str, ...], dict[str, None]] = field(default_factory=dict)
    skipped: list[tuple[int, str, str]] = field(default_factory=list)
    skipped_lines: int = 0
    last_skipped: int = -1
    unread_kinds: int = 0
    template: tuple[str, ...] | None = None

    def line(self, line: str, at: int) -> None:
        """Take one line of the text, which begins at character ``at``."""
        start = None
        if "_verbose," in line:
            line = _COLOUR.sub("", line) if "\x1b" in line else line
            start = _START.search(line)
        if start is None and not line.isspace():
            self.skip(line, at, "no line of oneDNN")
        while start is not None:
            after = _START.search(line, start.end())
            part = line[start.end() : after.start() if after else None]
            self.record(start[1], part, at)
            start = after

    def record(self, word: str, part: str, at: int) -> None:
        """Take what follows a marker."""
        if len(part) > _LONGEST:
            self.skip(part, at, "longer than any line of oneDNN")
            return
        part = part.rstrip()
        head, _, last = part.rpartition(",")
        known = word + "," + head
        meaning = self.meanings.get(known)
        if meaning is None:
            meaning = self.meanings[known] = self._meaning(word, head, part, last)
        if meaning.whole is None:
            time = float(last) if _TIME.fullmatch(last) else None
        else:
            time = float(f"{meaning.whole}.{last}") if _FRACTION.fullmatch(last) else None
        if meaning.kind >= 0:
            if time is None:
                self.skip(part, at, "no time at its end: a line that was cut")
                return
            self.ids.append(meaning.kind)
            self.ms.append(time if abs(time) < MOST_MS else math.nan)
        elif meaning.skip:
            self.skip(part, at, meaning.skip)
        else:
            self.other_lines[meaning.other] += 1
            if meaning.timed and time is not None and math.isfinite(time):
                self.other_ms[meaning.other] += time

    def _meaning(self, word: str, head: str, part: str, last: str) -> _Meaning:
        fields = head.split(",") if head else [part]
        component = fields.pop(0) if fields[0] in _COMPONENTS else ""
        operation = fields[0] if fields else part.rpartition(",")[2]
        if operation == "info":
            # Each of these lines is its own, so that none is a repetition of a beginning.
            self._info(part, component)
            return _Meaning(other="header")
        if operation in _MESSAGES:
            return _Meaning(other=operation)
        if operation.startswith(("create", "exec:", "compile")):
            if operation == "create:dispatch":
                self._dispatched([*fields, last])
            name = operation if operation.startswith("exec") else f"{component} {operation}"
            return _Meaning(other=name.strip().removeprefix("primitive "), timed=True)
        if operation != "exec" and component != "ukernel":
            return _Meaning(skip="an operation that is not known")
        if component in {"graph", "ukernel"}:
            return _Meaning(other=component, timed=True)
        return self._execution(word, fields, last)

    def _execution(self, word: str, fields: list[str], last: str) -> _Meaning:
        columns = self.template or columns_of(word)
        whole = None
        comma = len(fields) == len(columns) and re.fullmatch("-?[0-9]+", fields[-1])
        if comma and _FRACTION.fullmatch(last):
            whole = fields.pop()
        reason = unreadable_because(columns, fields)
        if reason is not None:
            return _Meaning(skip=reason)
        said = ",".join(fields)
        if len(self.kinds) >= MOST_KINDS and said not in self.numbers:
            self.unread_kinds += 1
            # What it took and gave is left out; its time is in the totals of its primitive.
            fields = fields[: columns.index("memory_descriptors")]
            said = ",".join(fields)
        if said not in self.numbers:
            self.numbers[said] = len(self.kinds)
            self.kinds.append(read_execution(columns, fields))
        return _Meaning(kind=self.numbers[said], whole=whole)

    def _info(self, part: str, component: str) -> None:
        _, _, said = part.partition("info,")
        if version := _VERSION.search(said):
            self.versions[version[0]] = None
        name, _, columns = said.partition("template:")
        if columns and component != "graph" and name in {"", "prim_"}:
            named = tuple(columns.rstrip(",").split(","))
            named = tuple(c for c in named if c != "timestamp")
            if {"operation", "memory_descriptors", "exec_time"} <= set(named):
                self.template = named
                self.meanings.clear()
        elif not columns and len(self.header) < _MOST_HEADER:
            self.header[shown(said)] = None

    def _dispatched(self, fields: list[str]) -> None:
        """Keep why an implementation refused, by all that names the problem."""
        at = next((i for i, f in enumerate(fields) if re.fullmatch("[cg]pu(:[0-9]+)?", f)), None)
        if at is None or len(fields) < at + 9:
            return
        primitive, implementation, prop, _, _, auxiliary, problem = fields[at + 1 : at + 8]
        reason = ",".join(fields[at + 8 : -1] or fields[at + 8 :])
        key = (primitive, prop, auxiliary, problem)
        self.reasons.setdefault(key, {})[shown(f"{implementation}: {reason}")] = None

    def skip(self, line: str, at: int, reason: str) -> None:
        """Count a line that is not understood; the first are kept."""
        self.skipped_lines += 1
        self.last_skipped = at
        if len(self.skipped) < _SHOWN_LINES:
            self.skipped.append((at, shown(line), reason))

    def _notes(self, text: str) -> Iterator[str]:
        if self.last_skipped == text.rfind("\n") + 1 and _START.search(text, self.last_skipped):
            yield _CUT
        if any("filter format" in each for each in self.header):
            yield _FILTERED
        if self.unread_kinds:
            yield _MANY.format(MOST_KINDS, self.unread_kinds)

    def recorded(self, text: str) -> Recorded:
        """What was read."""
        first = tuple(
            SkippedLine(1 + text.count("\n", 0, at), line, reason)
            for at, line, reason in self.skipped
        )
        others = tuple(
            OtherLines(kind, lines, self.other_ms[kind])
            for kind, lines in sorted(self.other_lines.items())
        )
        return Recorded(
            tuple(self.kinds),
            np.frombuffer(self.ids, np.int32) if self.ids else np.empty(0, np.int32),
            np.frombuffer(self.ms, np.float64) if self.ms else np.empty(0),
            tuple(self.versions),
            tuple(self.header),
            others,
            Skipped(self.skipped_lines, first),
            {key: tuple(reasons) for key, reasons in self.reasons.items()},
            notes=tuple(self._notes(text)),
        )


def is_onednn_log(text: str) -> bool:
    """Whether some line of the text is one of oneDNN."""
    return _START.search(text) is not None


def read_onednn_log(text: str) -> Recorded:
    """All executions of a log in their order; other lines are counted by kind.

    Times are kept as the log gives them, 0, negative, NaN and infinite ones too.
    """
    reader = _Reader()
    for found in _LINE.finditer(text):
        reader.line(found[0], found.start())
    return reader.recorded(text)
