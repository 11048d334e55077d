"""Records of groups."""
