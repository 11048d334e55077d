"""The providers of an app, with which its notifications are sent."""
