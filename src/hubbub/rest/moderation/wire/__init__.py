"""The shapes of moderation."""
