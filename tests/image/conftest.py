"""The browser is the one of the browser tests."""

from tests.browser.conftest import browser_type_launch_args

__all__ = ["browser_type_launch_args"]
