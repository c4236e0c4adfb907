"""How many examples hypothesis tries: a third in `make test`, all where EXAMPLES=all says so."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

SHARE = 1 if os.environ.get("EXAMPLES") == "all" else 3


def examples(most: int, **more: Any) -> settings:
    """Settings of a test of at most so many examples; ``more``: as hypothesis takes them."""
    return settings(max_examples=most // SHARE, **more)
