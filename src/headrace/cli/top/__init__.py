"""`headrace top`: a live view of everything."""

from headrace.cli.top.command import top

__all__ = ["top"]
