"""The answer of another server."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered to a POST."""

    status: int
    headers: Mapping[str, str]
    """By name, in upper or lower case."""
    body: bytes
    """At most the first 64 KB."""
