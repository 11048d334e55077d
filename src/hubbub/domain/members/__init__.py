"""Members of groups, their scopes, and bans."""
