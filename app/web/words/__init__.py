"""What is said of a word, and of keys: the lists of ``words.json``, in their order."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from markupsafe import Markup

from .drawing import drawing

Page = Literal["explorer", "reorder", "network", "learn"]


@dataclass(frozen=True, slots=True)
class Word:
    """An explained word.

    ``forms``: how it is written, first its title, separated by commas. ``text``: two sentences.
    ``cells``, ``jumps``: its picture, as ``drawing`` takes it. ``lesson``: the id of a lesson that
    teaches it, if there is one. ``pages``: the only ones on which its forms mean this, with blanks
    between; elsewhere they mean what another word says.
    """

    forms: str
    text: str
    cells: str
    jumps: str = ""
    lesson: str = ""
    pages: str = ""

    @property
    def title(self) -> str:
        """The form that stands over its explanation."""
        return self.forms.partition(",")[0]

    @property
    def picture(self) -> Markup:
        """Its drawing as SVG."""
        return drawing(self.cells, self.jumps)

    @property
    def id(self) -> str:
        """The id of its popover on every page."""
        name = f"{self.title} {self.pages.partition(' ')[0]}".lower()
        return "word-" + re.sub(r"\W+", "-", name).strip("-")

    @property
    def written(self) -> frozenset[str]:
        """Its forms in small letters."""
        return frozenset(self.forms.lower().split(", "))


@dataclass(frozen=True, slots=True)
class Help:
    """A short answer that is no word, such as keys; ``page``: the only one that has it."""

    title: str
    text: str
    page: Page | None = None


_LISTED: Final = json.loads(Path(__file__).with_name("words.json").read_bytes())
WORDS: Final = tuple(Word(**each) for group in _LISTED["words"].values() for each in group)
HELP: Final = tuple(Help(**each) for each in _LISTED["help"])
# Phrases in which a word means something else than what is explained; nothing links there.
PLAIN: Final = tuple[str, ...](_LISTED["plain"])


def words_on(page: str) -> tuple[Word, ...]:
    """The words that a page explains: its own, and those whose forms mean the same everywhere."""
    own = tuple(word for word in WORDS if page in word.pages.split())
    taken = frozenset[str]().union(*(word.written for word in own))
    return tuple(word for word in WORDS if word in own or not (word.pages or word.written & taken))
