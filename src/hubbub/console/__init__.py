"""The console at `/console`: pages for operators, declared one by one; off without an operator."""
