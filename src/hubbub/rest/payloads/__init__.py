"""Payloads: the `data` of each trigger, the same for webhooks and for any other listener."""
