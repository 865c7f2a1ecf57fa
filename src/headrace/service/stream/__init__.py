"""What changes, told as it happens: one look for all who listen in a process, handed to each by tenant."""

from headrace.service.stream.hub import Hub
from headrace.service.stream.service import Stream

__all__ = ["Hub", "Stream"]
