"""Where the templates and the static files lie."""

from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = _ROOT / "templates"
STATIC = _ROOT / "static"
