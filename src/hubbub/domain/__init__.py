"""What the product does. It knows no HTTP, no sockets, no engine."""
