"""`headrace logs`."""
