"""How a worker reaches the control plane: straight to PostgreSQL, or over HTTP."""
