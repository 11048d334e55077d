"""The rules and lists that every app has from the start; none is enabled until an app does so."""
