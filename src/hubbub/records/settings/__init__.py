"""The stored settings of apps."""
