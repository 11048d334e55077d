"""Use of interactive messages: mark elements, complete goals, submit forms."""
