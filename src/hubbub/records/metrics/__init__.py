"""Metrics of an app: who was active on which days, its traffic, its peaks of connections."""
