"""Facts out of committed transactions: an app's counters and its log, in commit order."""

from hubbub.outbox.counters import lock_counters, next_event_number
from hubbub.outbox.log import write_announced

__all__ = ["lock_counters", "next_event_number", "write_announced"]
