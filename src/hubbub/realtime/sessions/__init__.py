"""Sessions: the sockets of clients, how they join the feed of their app, and who is present."""
