"""Records of apps."""
