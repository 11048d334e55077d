"""Operations of groups, members and bans."""
