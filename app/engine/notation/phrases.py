"""The sentences of the notations by their codes, which stay when the words change.

A row of ``phrases.json`` completes "expected …", or says why a notation cannot write a layout
(``cannot.``). What stands in its braces is a parameter.
"""

import json
from pathlib import Path
from typing import Any, Final

from ..model.errors import Phrase

PHRASES: Final = json.loads(Path(__file__).with_suffix(".json").read_bytes())


def phrase(code: str, **params: Any) -> Phrase:
    """The sentence of ``code`` with its ``params``."""
    return Phrase(code, PHRASES[code], **params)
