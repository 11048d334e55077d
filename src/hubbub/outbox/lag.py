"""How far the consumers of the log are behind it."""

from collections.abc import Mapping

from hubbub.outbox.counters import SQL
from hubbub.storage.interface import Snapshot


async def count_lags(snapshot: Snapshot, consumers: Mapping[str, bool]) -> dict[str, int]:
    """Return for each consumer how many events of all apps it has not covered.

    `consumers` says of each by its name whether it reads only where its position was started.
    """
    lags = {}
    for name, is_optional in consumers.items():
        query = SQL.count_started_lag if is_optional else SQL.count_lag
        row = await snapshot.fetch_one(query, consumer=name)
        lags[name] = int(row[0]) if row is not None else 0
    return lags
