"""The HTTP server: uvicorn's sockets and TLS, and the requests and answers of a connection."""
