"""Pages of a browser that keep what they loaded from one test to the next."""

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from playwright.sync_api import Browser, BrowserContext, FloatRect, Locator, Page, ViewportSize

# What a page itself can change; everything else is an option of its context.
_MEDIA: Final = {
    "color_scheme": "light",
    "forced_colors": "none",
    "reduced_motion": "no-preference",
    "contrast": "no-preference",
}
_USUAL: ViewportSize = {"width": 1280, "height": 720}
# Longer than anything takes on a busy machine.
_PATIENCE_MS = 120_000
# A small document of the same origin, so that the browser keeps the process and its cache.
_REST: Final = "/healthz"

# What can be pressed, and is less high than a finger needs.
SMALL_TARGETS: Final = """() =>
    [...document.querySelectorAll('button, a, select, input:not(.hidden-input)')]
        .filter((e) => e.checkVisibility() && !e.closest('svg, label, .skip, .word'))
        .map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect().height])
        .filter(([, height]) => height < 24)"""

Axe = Callable[..., list[dict[str, Any]]]
NewPage = Callable[..., Page]
Event = Literal["console", "dialog", "pageerror", "request"]
_heard: dict[Page, list[tuple[Event, Callable[..., None]]]] = {}
_lasting: set[Page] = set()


def hear(page: Page, event: Event, handler: Callable[..., None]) -> None:
    """Call ``handler`` for each such event of the page, until the page is given back."""
    page.on(event, handler)
    _heard.setdefault(page, []).append((event, handler))


def lasting(page: Page) -> Page:
    """Return the page, for a call whose effect cannot be taken back: no other test gets it."""
    _lasting.add(page)
    return page


def settle(page: Page) -> None:
    """Wait until two display frames have passed."""
    page.evaluate("() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")


def box_of(locator: Locator) -> FloatRect:
    """Where an element is on the page."""
    box = locator.bounding_box()
    assert box is not None, locator
    return box


def saved(button: Locator) -> tuple[str, bytes]:
    """The name and the bytes of the file that a press of a button saves."""
    with button.page.expect_download() as saving:
        button.click()
    return saving.value.suggested_filename, saving.value.path().read_bytes()


@dataclass(frozen=True, slots=True)
class Pages:
    """Opens pages in one context per set of options, and gives a page to one test after another.

    A new page costs two to three times what a page does that has loaded the modules before.
    """

    browser: Browser
    base_url: str
    contexts: dict[str, BrowserContext] = field(default_factory=dict)
    resting: dict[BrowserContext, list[Page]] = field(default_factory=dict)

    def open(self, **options: Any) -> Page:
        """Return a page without state; ``options`` are those of ``Browser.new_context``.

        ``script``: what runs first in each document of the page.
        """
        viewport = options.pop("viewport", _USUAL)
        media = {name: options.pop(name, usual) for name, usual in _MEDIA.items()}
        key = repr(sorted(options.items()))
        script = options.pop("script", None)
        if key not in self.contexts:
            self.contexts[key] = self.browser.new_context(base_url=self.base_url, **options)
            if script is not None:
                self.contexts[key].add_init_script(script)
        context = self.contexts[key]
        resting = self.resting.get(context)
        page = resting.pop() if resting else context.new_page()
        page.set_default_timeout(_PATIENCE_MS)
        page.set_viewport_size(viewport)
        page.emulate_media(**media)
        return page

    def close(self, page: Page, *, again: bool) -> None:
        """Take a page from its test; with ``again``, another test may get it.

        What it stored must not reach the next one.
        """
        for event, handler in _heard.pop(page, []):
            page.remove_listener(event, handler)
        kept = again and page not in _lasting
        _lasting.discard(page)
        if page.is_closed():
            return
        if not page.url.startswith("http"):
            page.close()
            return
        if kept:
            page.unroute_all(behavior="ignoreErrors")
            page.mouse.move(-1, -1)
            page.goto(_REST)
        page.evaluate("localStorage.clear()")
        if kept:
            self.resting.setdefault(page.context, []).append(page)
        else:
            page.close()


def drop(page: Page, name: str, content: bytes) -> None:
    """Drop a file onto the page as the browser would."""
    page.evaluate(
        """([name, content]) => {
            const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0));
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([bytes], name));
            for (const type of ['dragover', 'drop']) {
                const event = new DragEvent(type, {dataTransfer, bubbles: true, cancelable: true});
                document.body.dispatchEvent(event);
            }
        }""",
        [name, base64.b64encode(content).decode()],
    )
