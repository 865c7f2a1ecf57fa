"""Commands that stay in the foreground: dev, serve, worker."""
