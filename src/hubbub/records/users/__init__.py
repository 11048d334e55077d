"""Records of users."""
