"""Operations of apps, API keys and settings."""
