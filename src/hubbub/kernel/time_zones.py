"""The names of time zones."""

from functools import cache
from zoneinfo import available_timezones

NOT_IANA = frozenset({"Factory", "localtime"})


def is_time_zone(value: object) -> bool:
    """Return whether `value` names a zone of the IANA database, such as `Europe/Berlin`."""
    return isinstance(value, str) and value in _time_zones()


@cache
def _time_zones() -> frozenset[str]:
    return frozenset(available_timezones() - NOT_IANA)
