"""Records of roles."""
