"""Where the templates and the static files lie, in a checkout and in an installed wheel."""

from ..package import DATA

TEMPLATES = DATA / "templates"
STATIC = DATA / "static"
