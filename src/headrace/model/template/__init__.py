"""Templates and conditions of triggers: expressions, evaluated within a budget."""
