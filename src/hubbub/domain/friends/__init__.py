"""Who is friends with whom: mirrored from the customer's app, always mutual."""
