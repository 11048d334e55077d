"""The operations of moderation."""
