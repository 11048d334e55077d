"""The OpenAPI document and the reference page, built from the declared operations."""
