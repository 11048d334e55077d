"""Records of blocks."""
