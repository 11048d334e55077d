"""Wire shapes of conversations."""
