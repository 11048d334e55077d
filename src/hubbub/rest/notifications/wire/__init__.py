"""Wire shapes of push providers and contact details."""
