"""Routes below `/jobs`."""
