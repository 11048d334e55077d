"""Retention: messages are removed when their time is over, unless a legal hold keeps them."""
