"""Records of notifications."""
