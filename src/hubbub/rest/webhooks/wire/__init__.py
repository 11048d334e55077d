"""Wire shapes of webhooks, triggers and deliveries."""
