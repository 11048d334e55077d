"""Consecutive receipts: the times that they have for messages."""

from hypothesis import given
from hypothesis import strategies as st

from hubbub.records.receipts.store import ReceiptSeries

ids = st.integers(1, 30)
senders = st.sampled_from(["anna", "ben"])
receipts = st.tuples(st.integers(0, 30), ids, st.integers(1, 9), st.none() | senders)


def time_of(series: ReceiptSeries, message: int, sender: str | None) -> int | None:
    """Return the time of one message: the first receipt that reaches it decides."""
    for after_id, upto_id, at, alone in series.rows:
        if upto_id >= message:
            return at if after_id < message and (alone is None or alone != sender) else None
    return None


@given(st.lists(receipts), st.lists(ids, unique=True), st.none() | senders)
def test_times_of_messages(
    rows: list[tuple[int, int, int, str | None]], messages: list[int], sender: str | None
) -> None:
    """The times of many messages are those that each of them has by itself."""
    series = ReceiptSeries()
    for row in sorted(rows, key=lambda row: row[1]):
        series.add(row)

    found = series.times_of(sorted(messages), sender)

    expected = {message: time_of(series, message, sender) for message in messages}
    assert found == {message: at for message, at in expected.items() if at is not None}
