"""Decisions and texts of notifications.

Pure rules: who is notified of what and why not, which template applies, and what a push, an e-mail
or an SMS says. They read no store and no clock, and send nothing.
"""
