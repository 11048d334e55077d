"""What is served beside the operations: pages, the OpenAPI document, health checks, files."""
