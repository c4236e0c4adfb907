"""The one list of words that the pages explain: in popovers, in the search and on ``/help``."""

from typing import Final

from .memory import MEMORY
from .motion import MOTION
from .word import Help, Word

HELP: Final = (
    Help(
        "Keys in a grid",
        "Arrow keys move the cell. Home and End go to the ends of a row, with Ctrl to the first"
        " and last cell. Page Up and Page Down go by a plane or a screen. Plus, minus and 0 "
        "zoom. G goes to an address or a coordinate.",
        "explorer",
    ),
    Help(
        "Keys of a walk",
        "Space plays and pauses. Comma and period go one step back and forward.",
        "explorer",
    ),
    Help(
        "Keys of a reorder",
        "Space plays and pauses. Comma and period go one step back and forward. In a memory, "
        "arrow keys go to the step of the next address; plus, minus and 0 zoom.",
        "reorder",
    ),
    Help(
        "Keys in the network",
        "Down and Up follow the edges. Left and Right go to the neighbours in a layer. Enter "
        "unfolds a block. Plus, minus and 0 zoom.",
        "network",
    ),
    Help(
        "Keys of this search",
        "Ctrl K or ⌘ K opens it from anywhere. Up and Down choose, Enter opens, Escape closes.",
    ),
)

WORDS: Final = (*MEMORY, *MOTION)


def words_on(page: str) -> tuple[Word, ...]:
    """The words that a page explains: its own, and those whose forms mean the same everywhere."""
    own = frozenset[str]().union(*(word.written for word in WORDS if word.page == page))
    return tuple(
        word
        for word in WORDS
        if word.page == page or (word.page is None and not word.written & own)
    )
