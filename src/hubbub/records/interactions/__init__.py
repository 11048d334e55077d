"""Records of interactions."""
