"""Near misses: edits counted against a plain definition, and what is suggested for real slips."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.nearest import first_difference, nearest

WORDS = ("channels_last", "channels_last_3d", "contiguous_format", "NCHW", "NHWC", "NCHW4", "nchw")
SHORT = st.text(alphabet="abAB_", max_size=7)


@cache
def edits(a: str, b: str) -> int:
    """The least number of insertions, removals, replacements and swaps, by recursion."""
    if not a or not b:
        return len(a) + len(b)
    least = min(
        edits(a[:-1], b) + 1, edits(a, b[:-1]) + 1, edits(a[:-1], b[:-1]) + (a[-1] != b[-1])
    )
    if len(a) > 1 and len(b) > 1 and (a[-1], a[-2]) == (b[-2], b[-1]):
        least = min(least, edits(a[:-2], b[:-2]) + 1)
    return least


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("chanels_last", "channels_last"),
        ("channels-last", "channels_last"),
        ("channel_last3d", "channels_last_3d"),
        ("NCWH", "NCHW"),
        ("NCHW4x", "NCHW4"),
        ("N", None),
        ("channels_last" * 4, None),
    ],
)
def test_what_is_suggested(text: str, word: str | None) -> None:
    assert nearest(text, WORDS) == word


@given(SHORT, st.lists(SHORT, max_size=6))
def test_a_suggestion_needs_the_fewest_edits(text: str, words: list[str]) -> None:
    found = nearest(text, words)
    most = max(len(text) // 4, 1)
    within = [
        edits(text.lower(), w.lower()) + edits(text, w)
        for w in words
        if w != text and edits(text.lower(), w.lower()) <= (0 if len(text) == 2 else most)
    ]
    if len(text) < 2:
        assert found is None
    elif within:
        assert found in words
        assert edits(text.lower(), found.lower()) + edits(text, found) == min(within)
    else:
        begun = [w for w in words if w != text and w.lower().startswith(text.lower())]
        assert found == (begun[0] if begun and len(text) >= 4 else None)


def test_where_a_text_departs_from_a_word() -> None:
    assert first_difference("chanels", "channels") == 4
    assert first_difference("CHANELS", "channels") == 4
    assert first_difference("Nhwc", "nhwc") == 0
    assert first_difference("NCHW4x", "NCHW4") == 5
