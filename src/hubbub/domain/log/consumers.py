"""The consumers of the log."""

from hubbub.domain.metrics.count import NAME as METRICS
from hubbub.domain.search.index import NAME as SEARCH
from hubbub.records.notifications.sending.model import PLANNING as NOTIFICATIONS
from hubbub.records.webhooks.model import PLANNING as WEBHOOKS

CONSUMERS = {METRICS: False, SEARCH: False, WEBHOOKS: True, NOTIFICATIONS: True}
"""The names of all consumers of the log, with whether they read only some apps."""

SOCKETS = "sockets"
CHANGE_FEED = "change_feed"
READERS = (SOCKETS, CHANGE_FEED)
"""Those who read the log from any place, and leave out what they can't tell."""
