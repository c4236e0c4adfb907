"""``import stridescope`` in a checkout: the public names of ``app``, which the wheel installs."""

import app
from app import *  # noqa: F403  # another name of the whole package

__all__ = app.__all__
__version__ = app.__version__

if __name__ == "__main__":
    from app.cli import main

    main()
