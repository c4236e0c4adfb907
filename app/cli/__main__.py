"""``python -m app.cli``: the command line where the project is not installed."""

from .commands import main

main()
