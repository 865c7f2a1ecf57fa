"""From screen to screen without loading the page again, as a reader does by its links."""

from __future__ import annotations

from playwright.async_api import expect
from tests.web.dash import Dash

# What is asked of the server and not yet answered is counted; a stream is never answered to its end.
WATCH = """() => {
  const ask = window.fetch;
  window.__asked = 0;
  window.fetch = async (...what) => {
    if (String(what[0]).endsWith("/stream")) return ask(...what);
    window.__asked += 1;
    try {
      const answer = await ask(...what);
      if (!answer.headers.get("Content-Type")?.includes("event-stream")) await answer.clone().arrayBuffer();
      return answer;
    } finally {
      window.__asked -= 1;
    }
  };
}"""
GO = """(path) => {
  history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}"""
# What was answered is drawn, and what is drawn may ask again: three looks in turn find nothing under way.
SETTLE = """async () => {
  for (let quiet = 0; quiet < 3; quiet = window.__asked > 0 ? 0 : quiet + 1)
    await new Promise((look) => requestAnimationFrame(() => setTimeout(look, 20)));
}"""


async def begin_at(dash: Dash, path: str) -> None:
    """Load the page, and watch from now what it asks for."""
    await dash.open(path)
    await dash.page.evaluate(WATCH)


async def go(dash: Dash, path: str) -> None:
    """To another screen, until all that it shows is there."""
    await dash.page.evaluate(GO, path)
    await settle(dash)


async def settle(dash: Dash) -> None:
    """Nothing is asked for any more, and no panel waits."""
    await dash.page.evaluate(SETTLE)
    await expect(dash.page.locator("#main h1, #main h2").first).to_be_visible()
    await expect(dash.page.get_by_role("status", name="Loading")).to_have_count(0)
