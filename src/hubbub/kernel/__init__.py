"""What everything else stands on: time, ids, errors, pages, text. Imports nothing of ours."""
