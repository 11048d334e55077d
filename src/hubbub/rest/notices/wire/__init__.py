"""The shapes of what would be sent."""
