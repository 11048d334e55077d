"""Stores with very many messages: how they are filled, and what is measured on them."""
