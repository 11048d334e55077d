"""Find out what is wrong with an installation, and how to mend it; nothing is changed."""
