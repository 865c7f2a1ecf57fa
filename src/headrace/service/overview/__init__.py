"""The overview: what is wrong now, in sentences, and where to mend it."""

from headrace.service.overview.service import Overview

__all__ = ["Overview"]
