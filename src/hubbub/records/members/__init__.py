"""Records of members."""
