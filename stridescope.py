"""``import stridescope`` in a checkout: the public names of ``app``, which the wheel installs."""

from app import *  # noqa: F403
from app import __all__ as __all__
from app import __version__ as __version__
