"""Send planned notifications, and store what becomes of them."""
