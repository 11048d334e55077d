"""Operations of push providers and contact details."""
