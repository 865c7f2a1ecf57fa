"""The one page, whatever its address: what it loads, and the policy that lets it load nothing else.

Scripts name their libraries as npm does, through an import map, so that vendored files stay byte for byte what npm has
and can be checked against it. A map must stand in the page itself: the policy allows this very text by its hash.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from dataclasses import dataclass

from headrace.web.files import Files

TEMPLATE = "index.html"
MAIN = "js/main.js"
LIBRARIES = {
    "preact": "vendor/preact.js",
    "preact/hooks": "vendor/preact-hooks.js",
    "@preact/signals-core": "vendor/signals-core.js",
    "@preact/signals": "vendor/signals.js",
    "htm": "vendor/htm.js",
    "uplot": "vendor/uplot.js",
}
# Nothing but our own, nothing inline, nothing evaluated, no markup made from text, and in nobody's frame.
POLICY = (
    "default-src 'none'; script-src 'self' '{map}'; style-src 'self'; connect-src 'self'; img-src 'self' data:;"
    " font-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)


@dataclass(frozen=True)
class IndexPage:
    """As it is sent: the text and its policy."""

    content: bytes
    policy: str


def make_page(files: Files, root: str) -> IndexPage:
    """The page for where the application is mounted: `root` is empty, or begins with a slash."""
    static = f"{root}/static/{files.mark}"
    # "<" cannot stand in a script's text, for it might end it.
    imports = json.dumps({"imports": {name: f"{static}/{file}" for name, file in LIBRARIES.items()}})
    imports = imports.replace("<", "\\u003c")
    preloads = "\n".join(f'<link rel="modulepreload" href="{html.escape(static)}/{name}">' for name in files.modules)
    template = files.by_name[TEMPLATE].content.decode()
    filled = (
        template.replace("{root}", html.escape(root))
        .replace("{static}", html.escape(static))
        .replace("{imports}", imports)
        .replace("{preloads}", preloads)
    )
    hashed = base64.b64encode(hashlib.sha256(imports.encode()).digest()).decode()
    return IndexPage(filled.encode(), POLICY.format(map=f"sha256-{hashed}"))
