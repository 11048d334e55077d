"""Wire shapes of the log of events."""
