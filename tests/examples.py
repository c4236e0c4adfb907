"""How many random examples are tried: a tenth in `make test`, all where EXAMPLES=all says so."""

import os
from typing import Any

from hypothesis import settings

SHARE = 1 if os.environ.get("EXAMPLES") == "all" else 10


def fewer(most: int) -> int:
    """The share of so many examples that is tried, at least one."""
    return max(1, most // SHARE)


def examples(most: int, **more: Any) -> settings:
    """Settings of a test of at most so many examples; ``more``: as hypothesis takes them."""
    return settings(max_examples=fewer(most), **more)
