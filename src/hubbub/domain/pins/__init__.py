"""Messages that are kept at hand: pinned for all of a conversation, or saved by one user."""
