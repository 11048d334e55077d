"""Validation of interactive messages: their elements, actions and surrounding fields.

Pure rules: they read a message, and store and change nothing.
"""
