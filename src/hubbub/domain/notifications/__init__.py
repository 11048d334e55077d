"""Notifications: through which gateways they go, and where else a user can be reached."""
