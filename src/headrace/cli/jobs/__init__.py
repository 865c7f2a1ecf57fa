"""`headrace jobs`."""
