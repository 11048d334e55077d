"""Polls: questions with options for which users vote."""
