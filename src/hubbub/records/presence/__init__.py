"""The open sessions of users, and the nodes that hold them."""
