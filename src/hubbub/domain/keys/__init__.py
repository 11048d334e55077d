"""API keys: the credentials of an app's own server and of its sign-in page."""
