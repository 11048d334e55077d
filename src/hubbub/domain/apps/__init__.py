"""Apps: the separate tenants of an installation."""
