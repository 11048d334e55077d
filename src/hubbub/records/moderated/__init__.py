"""Messages that were flagged, or that rules hold, and their reviews."""
