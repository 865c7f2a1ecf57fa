"""The overview: what is wrong now, in sentences, and where to mend it."""

from headrace.service.overview.overview import Overview

__all__ = ["Overview"]
