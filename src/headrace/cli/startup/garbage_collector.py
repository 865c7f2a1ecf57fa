"""The garbage collector of a process that serves for long."""

from __future__ import annotations

import gc


def tame_garbage_collection() -> None:
    """What was made until now stays, and jobs come and go by the thousand: look less often, and not at everything.

    A look at all that a server has loaded takes a tenth of a second, during which nobody is answered.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
