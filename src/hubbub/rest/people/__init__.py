"""Operations of users, tokens, friends, blocks, bots, roles and permissions."""
