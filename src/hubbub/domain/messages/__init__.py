"""Messages: what people say to each other, and what happens to it."""
