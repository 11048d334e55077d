"""Records of reactions."""
