"""What people and code may set, with the values that are allowed."""
