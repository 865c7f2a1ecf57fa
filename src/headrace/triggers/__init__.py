"""Rules that enqueue jobs: schedules, init and events."""
