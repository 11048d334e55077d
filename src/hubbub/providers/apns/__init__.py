"""The Apple Push Notification service."""
