"""Records of bots."""
