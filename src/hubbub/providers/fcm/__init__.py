"""Firebase Cloud Messaging, HTTP v1."""
