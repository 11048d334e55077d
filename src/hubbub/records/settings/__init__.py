"""Records of settings."""
