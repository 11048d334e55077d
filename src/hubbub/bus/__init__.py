"""Messages between the nodes of an installation; it knows nothing of the product."""
