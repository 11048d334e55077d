"""Totals of whole apps, for reports and checks; they read many rows."""
