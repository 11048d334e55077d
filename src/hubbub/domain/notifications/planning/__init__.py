"""Plan notifications: who is told of an event, and how."""
