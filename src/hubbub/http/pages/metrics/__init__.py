"""`/metrics` for Prometheus: who may read it, and how the node's measures are written."""
