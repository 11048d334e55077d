"""Messages that grow: what is stored of them until their end, and what a node holds in memory."""
