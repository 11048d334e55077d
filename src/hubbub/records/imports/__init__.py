"""The runs of imports, and the rows that they refused."""
