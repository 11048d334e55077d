"""Records of polls."""
