"""Identity providers of apps: the JWTs that are taken for auth tokens."""
