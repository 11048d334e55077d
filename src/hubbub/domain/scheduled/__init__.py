"""Messages that are sent later: made, listed, changed, cancelled, and sent when they are due."""
