"""Text in XML."""

from __future__ import annotations

import re
from typing import Final
from xml.sax.saxutils import escape

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escaped(text: str) -> str:
    """Text of an element: escaped, without characters that XML cannot have."""
    return escape(_NOT_XML.sub("\ufffd", text))
