"""Records of reminders."""
