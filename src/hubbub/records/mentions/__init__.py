"""Records of mentions."""
