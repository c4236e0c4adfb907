"""Pages of a browser that keeps its cache from one test to the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

# What a page itself can change; everything else is an option of its context.
_MEDIA = ("color_scheme", "forced_colors", "reduced_motion")
# Longer than anything takes on a busy machine.
_PATIENCE_MS = 120_000


@dataclass(frozen=True, slots=True)
class Pages:
    """Opens pages in one context per set of options.

    A context keeps its cache, so only its first page loads and compiles the modules.
    """

    browser: Browser
    base_url: str
    contexts: dict[str, BrowserContext] = field(default_factory=dict)

    def open(self, **options: Any) -> Page:
        """Return an empty page; ``options`` are those of ``Browser.new_context``."""
        viewport = options.pop("viewport", None)
        media = {name: options.pop(name) for name in _MEDIA if name in options}
        key = repr(sorted(options.items()))
        if key not in self.contexts:
            self.contexts[key] = self.browser.new_context(base_url=self.base_url, **options)
        page = self.contexts[key].new_page()
        page.set_default_timeout(_PATIENCE_MS)
        if viewport is not None:
            page.set_viewport_size(viewport)
        if media:
            page.emulate_media(**media)
        return page

    @staticmethod
    def close(page: Page) -> None:
        """Close a page; what it stored must not reach the next one."""
        if not page.is_closed():
            if page.url.startswith("http"):
                page.evaluate("localStorage.clear()")
            page.close()
