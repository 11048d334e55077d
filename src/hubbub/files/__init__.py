"""Uploaded files: where they are stored, their types, and the links to them."""
