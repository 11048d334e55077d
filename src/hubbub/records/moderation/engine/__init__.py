"""The custom engine of an app: its secret, and that it has failed."""
