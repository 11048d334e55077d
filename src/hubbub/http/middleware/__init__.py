"""What happens before and after every request: its id, HTTPS, CORS and the access log."""
