"""Conversations: between two people or in a group, with what each participant has of it."""
