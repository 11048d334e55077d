"""The pages that people read: the landing page at `/`, and the API reference at `/docs`."""
