"""Apps: the realms of an installation, sealed off from each other."""
