"""Back up the embedded store with its files while a node serves, and restore it.

A backup is a folder: `hubbub.db`, the folder `files`, `SHA256SUMS` with a line for each of these
files, and `manifest.json`. It is written under another name, and gets its own when it is complete.
"""
