"""Records of keys."""
