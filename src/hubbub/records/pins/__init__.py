"""Records of pins."""
