"""Web Push: encrypted messages to browsers (RFC 8030, 8188, 8291, 8292)."""
