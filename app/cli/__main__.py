"""``python -m app.cli``: the command line where the project is not installed."""

from . import main

main()
