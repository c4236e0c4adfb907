"""``python -m app.cli``: the command line where the project is not installed."""

from app.cli.commands import main

main()
