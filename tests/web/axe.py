"""What axe finds wrong on a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.web.dash import Dash

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text("utf-8")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# Less than serious, and still in the way: two parts of a page of one name.
ALSO = ("landmark-unique",)
# Once the page is drawn as it is now; only what is broken is of interest.
RUN = """async (tags) => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  return await axe.run({ runOnly: tags, resultTypes: ["violations"] });
}"""


async def serious(dash: Dash) -> list[str]:
    """What is wrong, with where."""
    # Evaluated by the test's own channel, which the page's policy does not concern.
    if not await dash.page.evaluate("'axe' in window"):
        await dash.page.evaluate(AXE)
    found: dict[str, Any] = await dash.page.evaluate(RUN, TAGS)
    return [
        f"{one['id']}: {one['help']}: {[node['html'][:120] for node in one['nodes'][:3]]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical") or one["id"] in ALSO
    ]
