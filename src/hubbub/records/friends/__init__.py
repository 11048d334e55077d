"""Records of friends."""
