"""``python -m stridescope``: the command line."""

from .cli import main

main()
