"""Find everything that is wrong with an interactive message before it is sent."""

from collections.abc import Mapping
from typing import Any

from hubbub.domain.interactive.checks import one_of
from hubbub.domain.interactive.faults import Faults, Place
from hubbub.domain.interactive.messages import MESSAGES


def find_faults(message_type: str, data: Mapping[str, Any]) -> dict[str, list[str]]:
    """The faults of the `data` of an interactive message, as sentences by dotted path.

    No faults, no entries. At most `faults.MOST_FAULTS` sentences are returned.
    """
    faults = Faults()
    if message_type in MESSAGES:
        MESSAGES[message_type](data, Place("data", faults))
    else:
        one_of(MESSAGES)(message_type, Place("type", faults))
    return faults.found
