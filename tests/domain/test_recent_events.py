"""Events that a node keeps until they are indexed: consecutive, bounded, never the wrong ones."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st
from tests.clock import START

from hubbub.records.search.recent import RecentEvents
from hubbub.storage.interface import Announced

COMMITS = st.tuples(
    st.sampled_from(["anna", "ben"]),
    st.integers(1, 5),
    st.sampled_from([0, 0, 0, 0, 2]),
    st.sampled_from([0, 0, 0, 0, 0, 1]),
)
"""An app, how many events are committed, how many by others before, and of a new epoch or not."""


@dataclass(frozen=True)
class Ticked:
    """An event with its number."""

    number: int
    at: int = START


@given(
    st.lists(st.one_of(COMMITS, st.tuples(st.sampled_from(["anna", "ben"]), st.integers(1, 9)))),
    st.integers(1, 30),
)
def test_what_is_kept_is_what_the_log_has(steps: list[tuple[object, ...]], most: int) -> None:
    """A batch begins right after the position, and has each event up to its end, in order."""
    recent = RecentEvents(most_events=most)
    ends, epochs, positions = ({"anna": 0, "ben": 0} for _ in range(3))
    for step in steps:
        app_id = str(step[0])
        if len(step) == 4:
            _, count, missed, is_new = step
            assert isinstance(count, int)
            assert isinstance(missed, int)
            assert isinstance(is_new, int)
            first = ends[app_id] + missed + 1
            ends[app_id], epochs[app_id] = first + count - 1, epochs[app_id] + is_new
            events = [Ticked(number) for number in range(first, first + count)]
            recent.note(Announced(app_id, epochs[app_id], ends[app_id], events))
        else:
            limit = step[1]
            assert isinstance(limit, int)
            after = positions[app_id]
            batch = recent.next_batch(app_id, after, (Ticked,), limit=limit)
            if batch is None:
                positions[app_id] = min(ends[app_id], after + limit)  # the log was read
                continue
            assert batch.upto == positions[app_id] + len(batch.entries) <= after + limit
            numbers = [each.number for each in batch.entries]
            assert numbers == list(range(after + 1, batch.upto + 1))
            assert all(each.event == Ticked(each.number) for each in batch.entries)
            positions[app_id] = batch.upto
        assert recent._events <= most
        assert recent._events == sum(
            len(commit.announced.events)
            for commits in recent._commits.values()
            for commit in commits
        )
