"""Answers to e-mails about unread messages, which become messages."""
