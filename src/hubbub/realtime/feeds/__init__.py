"""Feeds: the log of each app, read once by this node and told to its sessions in order."""
