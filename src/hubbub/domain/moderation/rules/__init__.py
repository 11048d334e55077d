"""Create, change, find and delete the rules of an app."""
