"""Receipts: mark messages as delivered and read, and find who had them, and when."""
