"""Claiming: which jobs are taken next, how many ahead, and in which order they start."""
