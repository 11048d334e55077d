"""The SQLite engine: a writer thread that commits in groups, reader threads, a checkpointer."""
