"""Processor time of a page's main thread."""

from collections.abc import Callable

from playwright.sync_api import Page

WORK = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")


class Clock:
    """Processor time of the page's main thread for scripts, style and layout.

    Processor time, because a shared machine's pauses are nobody's work.
    """

    def __init__(self, page: Page) -> None:
        self._cdp = page.context.new_cdp_session(page)
        self._cdp.send("Performance.enable", {"timeDomain": "threadTicks"})

    def now_ms(self) -> float:
        """Milliseconds since some moment."""
        metrics = self._cdp.send("Performance.getMetrics")["metrics"]
        return 1000 * sum(float(each["value"]) for each in metrics if each["name"] in WORK)

    def spent_ms(self, work: Callable[[], object]) -> float:
        """Milliseconds that ``work`` costs the page."""
        before_ms = self.now_ms()
        work()
        return self.now_ms() - before_ms
