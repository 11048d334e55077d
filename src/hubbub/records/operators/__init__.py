"""People who use the console, and their sessions."""
