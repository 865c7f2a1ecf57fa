"""Log lines of a run: their limits and numbers."""
