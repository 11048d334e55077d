"""Wire shapes of messages: bodies, answers, and the lists of all that belongs to a message."""
