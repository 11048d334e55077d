"""Who had which messages, and when: stretches of a conversation, never a row for each message."""
