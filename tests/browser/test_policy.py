"""The pages under their policy: nonces and Trusted Types, without one violation."""

import pytest
from playwright.sync_api import Page

from tests.browser.pages import hear, lasting

_NOTE = """addEventListener('securitypolicyviolation', (e) =>
  console.error('violation', e.violatedDirective, e.blockedURI, e.sample))"""
READY = {
    "/": "stride-explorer canvas",
    "/network": "network-graph svg",
    "/docs": "text-page .stage",
}


@pytest.mark.parametrize("path", READY)
def test_a_page_keeps_to_its_policy(page: Page, path: str) -> None:
    said: list[str] = []
    hear(page, "console", lambda message: said.append(message.text))
    hear(page, "pageerror", lambda error: said.append(str(error)))
    lasting(page).add_init_script(_NOTE)
    page.goto(path)
    page.locator(READY[path]).first.wait_for()
    page.reload()  # from the browser's copy, with the policy of that copy
    page.locator(READY[path]).first.wait_for()
    assert said == []
    # The policy is there: text does not become a script, and markup does not become elements.
    refused = page.evaluate(
        """() => {
          const made = document.createElement('div');
          try { made.innerHTML = '<img src=x onerror=alert(1)>'; } catch { return true; }
          return made.childElementCount === 0;
        }"""
    )
    assert refused
