"""The folders of the templates and the static files, in a checkout or an installed wheel."""

from ..package import DATA

TEMPLATES = DATA / "templates"
STATIC = DATA / "static"
