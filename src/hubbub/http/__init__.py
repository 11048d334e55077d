"""The machinery of REST: server, dispatch, authentication, decoding, errors, documents."""
