"""Files that are uploaded with messages."""
