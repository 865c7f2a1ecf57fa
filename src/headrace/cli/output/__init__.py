"""How answers look: tables, their layout, progress."""
