"""Secrets: which values are secret, how they are masked, encrypted and put back."""
