"""Records of tokens."""
