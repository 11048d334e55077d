"""Comparisons: versions of the code, or sizes of the store, measured in turn."""
