"""The templates of the pages, and the folders of these and of the static files."""

import re
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ..package import DATA

# In a checkout or an installed wheel.
TEMPLATES: Final = DATA / "templates"
STATIC: Final = DATA / "static"

ENVIRONMENT: Final = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
ENVIRONMENT.filters["grouped"] = lambda count: re.sub(r"(?<=\d)(?=(\d{3})+$)", "\u202f", str(count))
