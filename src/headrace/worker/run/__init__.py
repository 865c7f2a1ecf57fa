"""Running one job: from the claim to its outcome and its log lines."""
