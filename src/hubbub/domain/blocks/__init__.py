"""Who has blocked whom: no message goes either way."""
