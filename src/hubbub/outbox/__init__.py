"""The outbox: an app's counters, its log of events, their registry, and consumers of the log."""

from hubbub.outbox.log import lock_counters, next_event_number, write_announced

__all__ = ["lock_counters", "next_event_number", "write_announced"]
