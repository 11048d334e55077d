"""Uploaded files: where they lie, of what type they are, and the links under which they are had."""
