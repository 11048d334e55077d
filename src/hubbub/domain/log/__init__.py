"""The log of events: its consumers, and the deletion of old events."""
