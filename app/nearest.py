"""Finds the word that a misspelt text was meant to be, for "did you mean …?" in messages."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_LEAST, _MOST = 2, 48  # characters of a text that is compared
_LEAST_BEGINNING: Final = 4
_EDITS_PER_CHARACTERS: Final = 4
_MOST_EDITS: Final = 3


def nearest(text: str, words: Iterable[str]) -> str | None:
    """The word with the fewest edits from ``text``, or one that begins with it; None if none does.

    An edit inserts, removes or replaces one character, or swaps two neighbours. One edit is allowed
    per four characters, at least one and at most three; capital letters are no edits here, but
    count when words are compared. Of equal ones, the first is returned. Time: O(words).

    Source: the optimal string alignment distance.
    """
    if not _LEAST <= len(text) <= _MOST:
        return None
    words, small = list(words), text.lower()
    most = min(max(len(text) // _EDITS_PER_CHARACTERS, 1), _MOST_EDITS)
    letters = _letters(small)
    best: int | None = None
    found = None
    for word in words:
        if word == text or abs(len(word) - len(text)) > most:
            continue
        # Each edit adds or removes at most two different characters.
        if (_letters(word.lower()) ^ letters).bit_count() > 2 * most:
            continue
        edits = _distance(small, word.lower(), most)
        if edits > most or (len(text) == _LEAST and edits):
            continue
        rank = edits + _distance(text, word, len(text))
        if best is None or rank < best:
            best, found = rank, word
    if found is None and len(text) >= _LEAST_BEGINNING:
        return next((w for w in words if w != text and w.lower().startswith(small)), None)
    return found


def first_difference(text: str, word: str) -> int:
    """The position where ``text`` first differs from ``word``, in capital letters last of all."""
    if text.lower() != word.lower():
        text, word = text.lower(), word.lower()
    pairs = zip(text, word, strict=False)  # the shorter one ends the comparison
    return next((at for at, (x, y) in enumerate(pairs) if x != y), min(len(text), len(word)))


@lru_cache(maxsize=1 << 13)
def _letters(word: str) -> int:
    """The set of characters of a word, as bits."""
    found = 0
    for c in word:
        found |= 1 << (ord(c) & 127)
    return found


def _distance(a: str, b: str, most: int) -> int:
    """The number of edits between two texts, or any number above ``most`` if they need more."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        after = [i]
        for j, y in enumerate(b, 1):
            edits = min(row[j] + 1, after[j - 1] + 1, row[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                edits = min(edits, before[j - 2] + 1)
            after.append(edits)
        if min(after) > most:
            return most + 1
        before, row = row, after
    return row[-1]
