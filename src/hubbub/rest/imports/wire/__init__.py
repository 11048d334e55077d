"""Wire shapes of the data import."""
