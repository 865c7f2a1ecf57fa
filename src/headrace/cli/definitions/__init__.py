"""`headrace definitions`."""
