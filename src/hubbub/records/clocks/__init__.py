"""Stored times that lie ahead, in all tables where they would do harm."""
