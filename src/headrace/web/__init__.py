"""The dashboard: pages, and the headers that keep them what they are."""

from headrace.web.site import Site

__all__ = ["Site"]
