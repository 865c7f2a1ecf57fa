"""Two hundred strings that would run, or break out, if anything took text for markup."""

from __future__ import annotations

from itertools import product

CALL = "window.__hit=1"
_ELEMENTS = (
    "<script>{}</script>",
    "<img src=x onerror={}>",
    "<svg onload={}>",
    "<svg><script>{}</script></svg>",
    "<iframe srcdoc='<script>{}</script>'></iframe>",
    "<body onload={}>",
    "<details open ontoggle={}>x</details>",
    "<input autofocus onfocus={}>",
    "<video><source onerror={}></video>",
    "<math><mi xlink:href='javascript:{}'>x</mi></math>",
    "<a href='javascript:{}'>x</a>",
    "<form action='javascript:{}'><button>x</button></form>",
    "<object data='javascript:{}'></object>",
    "<style>@import 'javascript:{}'</style>",
    "<link rel=stylesheet href='javascript:{}'>",
    "<base href='javascript:{}//'>",
    "<meta http-equiv=refresh content='0;url=javascript:{}'>",
    "javascript:{}",
    "data:text/html,<script>{}</script>",
    "${{{}}}",
    "{{{{constructor.constructor('{}')()}}}}",
    "<template><img src=x onerror={}></template>",
    "<noscript><p title='</noscript><img src=x onerror={}>'>",
    "<marquee onstart={}>x</marquee>",
    "<xss style='animation-name:x' onanimationstart={}>",
)
_FRAMES = ("{}", '"{}', "'>{}", '">{}', "</textarea>{}", "</title>{}", "--><!-- {}", "\u2028{}\u202e")
STRINGS = [frame.format(element.format(CALL)) for element, frame in product(_ELEMENTS, _FRAMES)]
