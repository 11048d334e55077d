"""Wire shapes of apps, API keys and settings."""
