"""Random identifiers as a dependency, so that tests can predict them."""

import secrets
from typing import Protocol


class Ids(Protocol):
    """A source of identifiers that can't be guessed."""

    def hexadecimal(self, length: int) -> str:
        """Return `length` random lower-case hexadecimal digits."""
        ...


class RandomIds:
    """Identifiers from the random source of the system."""

    def hexadecimal(self, length: int) -> str:
        return secrets.token_hex((length + 1) // 2)[:length]
