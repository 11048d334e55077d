"""Random identifiers as a dependency, so that tests can know them beforehand."""

import secrets
from typing import Protocol


class Ids(Protocol):
    """Makes identifiers that nobody can guess."""

    def hexadecimal(self, length: int) -> str:
        """`length` random lower-case hexadecimal digits."""
        ...


class RandomIds:
    """Identifiers from the system's random source."""

    def hexadecimal(self, length: int) -> str:
        return secrets.token_hex((length + 1) // 2)[:length]
