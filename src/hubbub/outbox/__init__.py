"""Facts out of committed transactions: an app's counters and its log, in commit order."""

from hubbub.outbox.log import write_announced
from hubbub.outbox.numbers import next_event, take_numbers

__all__ = ["next_event", "take_numbers", "write_announced"]
