"""The templates of the pages."""

import re
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .places import TEMPLATES

ENVIRONMENT: Final = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
ENVIRONMENT.filters["grouped"] = lambda count: re.sub(r"(?<=\d)(?=(\d{3})+$)", "\u202f", str(count))
