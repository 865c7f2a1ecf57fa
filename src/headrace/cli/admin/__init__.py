"""Commands that look after a server: tenants, tokens, queues, workers, configuration, schema."""
