"""Records of messages."""
