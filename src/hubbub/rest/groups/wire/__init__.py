"""Wire shapes of groups, members and bans."""
