"""Operations of push providers and tokens, of settings, preferences and contact details."""
