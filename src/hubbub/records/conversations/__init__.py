"""Records of conversations."""
