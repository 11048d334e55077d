"""Users: the people of an app."""
