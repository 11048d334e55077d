"""Store lines: one module for each group of kinds, on the verbs of the domain."""
