"""Records of messages that are sent later."""
