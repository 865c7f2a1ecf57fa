"""The body of a request: read within bounds of size, time and memory, then parsed."""
