"""What notifications say: texts by templates, and the fields of pushes; pure functions."""
