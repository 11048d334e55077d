"""Find the faults of an interactive message before it is sent."""

from collections.abc import Mapping
from typing import Any

from hubbub.domain.interactive_messages.faults import FaultList, FieldPath
from hubbub.domain.interactive_messages.messages import MESSAGES

INTERACTIVE_TYPES = tuple(MESSAGES)


def find_faults(message_type: str, data: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the faults of the `data` of an interactive message: sentences by dotted path.

    Its type is one of `INTERACTIVE_TYPES`.

    Empty if there are none; at most `faults.MOST_FAULTS` sentences.
    """
    faults = FaultList()
    MESSAGES[message_type](data, FieldPath("data", faults))
    return faults.found
