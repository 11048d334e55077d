"""Operators: who may use the console, and how they sign in."""
