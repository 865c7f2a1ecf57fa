"""A job: its record, its statuses, its outcomes and the transition that each leads to."""
