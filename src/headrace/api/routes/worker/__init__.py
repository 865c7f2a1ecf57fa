"""Routes below `/worker`, for workers without a database login."""
