"""Records of attachments."""
