"""The demo chat of `hubbub serve --demo`: a page, and tokens of the demo app's people for it."""
