"""Routes below `/jobs/triggers`."""
