"""What rules of moderation are made of, as it is stored."""
