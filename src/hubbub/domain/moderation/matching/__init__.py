"""Find words, patterns and contact details in texts: pure code, which knows no app."""
