"""The master key of an installation: recognized at the start, and changed while nodes run."""
