"""SQLite as the engine: a writer thread that commits in groups, readers, a checkpointer."""
