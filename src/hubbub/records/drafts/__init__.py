"""Records of drafts."""
