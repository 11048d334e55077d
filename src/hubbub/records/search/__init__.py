"""Records of search."""
