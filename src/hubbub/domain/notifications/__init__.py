"""Notifications: push gateways and devices, settings and preferences, contact details."""
