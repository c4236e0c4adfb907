"""Builds the wheel: ``app`` under the name ``stridescope``, with the pages and scripts inside.

An editable install points to the checkout. All other settings are in pyproject.toml.
docs/decisions/0012 gives the reason for the two names.
"""

import sys
from tempfile import TemporaryDirectory

from setuptools import find_namespace_packages, find_packages, setup

# Each package of the wheel, and its folder in the checkout.
FOLDERS = {
    "stridescope": "app",
    "stridescope.static": "static",
    "stridescope.templates": "templates",
}


def packages() -> list[str]:
    """Return the packages of the wheel: the three above and every folder inside them."""
    names = list(FOLDERS)
    names += [f"stridescope.{inner}" for inner in find_packages("app")]
    for package in ("stridescope.static", "stridescope.templates"):
        names += [f"{package}.{inner}" for inner in find_namespace_packages(FOLDERS[package])]
    return names


if "editable_wheel" in sys.argv:
    setup(
        packages=find_packages(include=["app", "app.*"]),
        py_modules=["stridescope"],
        package_dir={"": "."},
        entry_points={"console_scripts": ["stridescope = app.cli:main"]},
    )
else:
    # A build folder that is kept would put deleted files into the next wheel.
    with TemporaryDirectory() as scratch:
        setup(
            packages=packages(),
            package_dir=FOLDERS,
            entry_points={"console_scripts": ["stridescope = stridescope.cli:main"]},
            options={"build": {"build_base": scratch}, "egg_info": {"egg_base": scratch}},
        )
