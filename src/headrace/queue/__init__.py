"""The life of a job, one verb a module with its SQL beside it."""
