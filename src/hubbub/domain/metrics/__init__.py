"""Metrics of an app: counted from the log, and found for a range of days or the last hour."""
