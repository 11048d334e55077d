"""SQLite as the engine: one writer thread that commits in groups, reader threads, a checkpointer."""
