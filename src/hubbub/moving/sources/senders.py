"""Who sent each message of a conversation, in few bytes for each."""

from array import array
from bisect import bisect_left

_LARGEST = 2**63


class Senders:
    """Finds the sender of an earlier message by its number, which mostly grows."""

    def __init__(self) -> None:
        self._numbers = array("q")
        self._indexes = array("L")
        self._others: dict[int, str] = {}
        self._uids: list[str] = []
        self._index_of: dict[str, int] = {}

    def add(self, number: int, uid: str) -> None:
        """Take in the sender of a message."""
        if number >= _LARGEST or (self._numbers and number <= self._numbers[-1]):
            self._others[number] = uid
            return
        self._numbers.append(number)
        if uid not in self._index_of:
            self._index_of[uid] = len(self._uids)
            self._uids.append(uid)
        self._indexes.append(self._index_of[uid])

    def find(self, number: int) -> str | None:
        """Return the uid of who sent a message; None if it did not come before."""
        if number in self._others or number >= _LARGEST:
            return self._others.get(number)
        index = bisect_left(self._numbers, number)
        if index == len(self._numbers) or self._numbers[index] != number:
            return None
        return self._uids[self._indexes[index]]
