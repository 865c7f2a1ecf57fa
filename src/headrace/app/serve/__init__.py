"""Serving the API on a socket."""
