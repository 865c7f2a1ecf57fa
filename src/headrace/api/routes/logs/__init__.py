"""Routes below `/logs`."""
