"""Wire shapes and parameter types that several groups of operations share."""
