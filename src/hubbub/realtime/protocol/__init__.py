"""The protocol of sockets: its frames, its states, and the methods that clients call."""
