"""Samples: an example of the data of each trigger, for tests of webhooks and for the document."""
