"""What carries notifications to people: push gateways, mail and SMS providers, custom webhooks."""
