"""Backups of a store in one place, each of which adds what has changed since the one before.

A place has, beside `repository.json`:

- `packs/NAME`: pages of databases, compressed, a few thousand in each (`packs.py`);
- `maps/ID`: where the pages of a database are, or of those that changed since (`maps.py`);
- `files/APP/…`: the uploaded files, each once, with a digest at its end (`uploads.py`);
- `backups/ID/`: `manifest.json`, which is written last, so a backup exists when it does; beside it
  the list of its uploaded files, and the master key if that was asked for.
"""
