"""Time from a key in the layout field to the frame that shows its layout.

    python -m benchmarks.frame.keys [--keys 40] [--url URL]

Starts the server and Debian's chromium (software rendering), and types the last digit of NCHW2 to
NCHW41, which the server must describe. Prints medians in milliseconds after the key: when
the question was sent, when its answer was there, when the page had taken it over, when the frame
that shows the memory began, and when that frame was painted: the first event after it, ahead of
others that wait, as the drawing of the logical tensor for the next frame. ``--url``: a server that
runs already, as one of another version, to be measured in turn.
"""

import argparse
from contextlib import ExitStack
from statistics import median

from playwright.sync_api import Page
from rich.console import Console
from rich.table import Table

from benchmarks.frame.run import browser_page
from benchmarks.service.run import served, uvicorn

_REST_MS = 400
STEPS = ("question sent", "answer there", "taken over", "frame begins", "painted")
_LISTEN = """() => {
  let times = null;
  window.measured = [];
  const note = () => times?.push(performance.now());
  const fetched = window.fetch;
  window.fetch = async (...given) => {
    const asks = String(given[0]).includes('/describe');
    if (asks) note();
    const answer = await fetched(...given);
    if (asks) note();
    return answer;
  };
  addEventListener('keydown', (event) => { times = [event.timeStamp]; }, true);
  new MutationObserver(() => {
    if (times?.length !== 3) return;
    note();
    requestAnimationFrame(() => {
      note();
      scheduler.postTask(() => {
        note();
        window.measured.push(times.slice(1).map((time) => time - times[0]));
        times = null;
      }, {priority: 'user-blocking'});
    });
  }).observe(document.querySelector('memory-view .about'),
    {subtree: true, childList: true, characterData: true});
}"""


def measured(page: Page, url: str, keys: int) -> list[list[float]]:
    """Milliseconds of each step after each key."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{url}/?shape=1,8,6,6&layout=NCHW")
    page.wait_for_timeout(_REST_MS)
    page.evaluate(_LISTEN)
    for block in map(str, range(2, 2 + keys)):
        page.locator("#a-layout").fill(f"NCHW{block[:-1]}")
        page.wait_for_timeout(_REST_MS)
        page.keyboard.press(block[-1])
        page.wait_for_timeout(_REST_MS)
    found: list[list[float]] = page.evaluate("window.measured")
    return found


def main() -> None:
    """Measure and print the table."""
    reader = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    reader.add_argument("--keys", type=int, default=40)
    reader.add_argument("--url")
    given = reader.parse_args()
    with ExitStack() as stack:
        url = given.url
        if url is None:
            server = stack.enter_context(served(*uvicorn("app.main:app")))
            server.wait_for_kernels()
            url = f"http://127.0.0.1:{server.port}"
        found = measured(stack.enter_context(browser_page()), url, given.keys)
    table = Table(*STEPS, title=f"milliseconds after a key, medians of {len(found)}")
    table.add_row(*(f"{median(times):.1f}" for times in zip(*found, strict=True)))
    Console().print(table)


if __name__ == "__main__":
    main()
