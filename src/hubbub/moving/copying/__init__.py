"""A copy of a whole installation into another store, of either engine."""
