"""Conversations between two users or in a group: find, list, tag, pin, reset and delete them."""
