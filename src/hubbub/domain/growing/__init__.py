"""Messages that grow: append to their text, finish them, ask their sender to stop."""
