"""Log lines: what an attempt printed or logged."""
