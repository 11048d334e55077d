"""API keys: what an app's own server, or its sign-in page, calls with."""
