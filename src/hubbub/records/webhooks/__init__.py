"""Records of webhooks, their queues and their deliveries."""
