"""Messages: send, reply, edit, delete, erase and find them."""
