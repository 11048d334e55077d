"""What people do with interactive messages: use their elements, reach their goals, submit forms."""
