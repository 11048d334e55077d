"""Notifications: the push gateways of an app, and the contact details of its users."""
