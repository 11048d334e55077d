"""A module for each area: the payloads of its events, and a sample of each."""
