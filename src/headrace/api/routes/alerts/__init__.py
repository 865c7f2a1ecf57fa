"""Routes below `/alerts`."""
