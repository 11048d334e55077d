"""Calls over HTTP/2: many at once over few connections, as push gateways ask for."""
