"""Samples: the data of each event and trigger, for documents and for tests of webhooks."""
