"""Whether a caller takes what a call answers with."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

_BINARY: Final = "application/octet-stream"
_MOST_BYTES: Final = 512


@lru_cache(maxsize=256)
def is_acceptable(accept: bytes, media: bytes) -> bool:
    """Whether an Accept header admits a Content-Type; one that cannot be read admits all.

    The most specific range counts. ``application/octet-stream`` admits every kind of file.
    """
    if len(accept) > _MOST_BYTES:
        return True
    kind = media.decode("latin-1").split(";")[0].strip().lower()
    wanted = {kind: 3, f"{kind.split('/')[0]}/*": 1, "*/*": 0}
    if not kind.startswith("text/") and kind != "application/json":
        wanted.setdefault(_BINARY, 2)
    best = (-1, 0.0)
    for item in accept.decode("latin-1").lower().split(","):
        name, *parameters = (part.strip() for part in item.split(";"))
        if name not in wanted:
            continue
        quality = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                try:
                    quality = float(parameter[2:])
                except ValueError:
                    return True
        best = max(best, (wanted[name], quality))
    return best[1] > 0
