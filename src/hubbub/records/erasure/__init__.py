"""Records of erasure."""
