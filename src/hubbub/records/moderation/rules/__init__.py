"""The rules of moderation and their revisions."""
