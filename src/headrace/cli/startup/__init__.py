"""Start-up time: imports of FastAPI and httpx without what a command does not need; they patch both libraries."""
