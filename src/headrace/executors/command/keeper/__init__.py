"""The processes that keep commands: one spawner per worker, one monitor per attempt. Standard library only.

This folder runs by its path, with `python -I -S`, and sees nothing else of Headrace; hence its relative imports.
"""
