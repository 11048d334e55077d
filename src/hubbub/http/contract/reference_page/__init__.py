"""Example requests for the operations of the OpenAPI document."""
