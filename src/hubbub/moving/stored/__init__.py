"""What is stored, as lines: an export writes them, an import compares with them."""
