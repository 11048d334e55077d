"""Deliveries to webhooks: planned from the log, made, repeated, replayed."""
