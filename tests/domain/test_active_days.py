"""Counts of active users by their previous day agree with sets of days, in whatever order."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from hubbub.records.metrics.model import ActiveCounts, ActiveUser, add_active_day

UIDS = ("anna", "ben", "cleo")
LAST_DAY = 12
ACTS = st.lists(st.tuples(st.sampled_from(UIDS), st.integers(0, LAST_DAY)), max_size=40)


def count(acts: Sequence[tuple[str, int]]) -> ActiveCounts:
    """Return the counts after acts of users on days."""
    counts: ActiveCounts = Counter()
    users = {uid: ActiveUser(uid) for uid in UIDS}
    for uid, day in acts:
        users[uid] = add_active_day(users[uid], day, counts)
    return counts


def active_in(counts: ActiveCounts, first: int, last: int) -> int:
    """Return the sum that the store makes for a range."""
    return sum(
        users
        for (day, previous), users in counts.items()
        if first <= day <= last and previous < first
    )


@given(ACTS)
def test_every_range_is_counted(acts: list[tuple[str, int]]) -> None:
    """The sum for each range of days is the number of users who were active in it."""
    counts = count(acts)
    days: dict[str, set[int]] = defaultdict(set)
    for uid, day in acts:
        days[uid].add(day)

    for first in range(LAST_DAY + 1):
        for last in range(first, LAST_DAY + 1):
            active = sum(any(first <= day <= last for day in some) for some in days.values())
            assert active_in(counts, first, last) == active


@given(ACTS, st.randoms())
def test_the_order_makes_no_difference(acts: list[tuple[str, int]], chance: Random) -> None:
    """The counts are the same in any order, and none is negative."""
    shuffled = [*acts]
    chance.shuffle(shuffled)

    assert +count(shuffled) == +count(acts)
    assert min(count(shuffled).values(), default=0) >= 0


def test_a_bot_is_never_counted() -> None:
    """A bot has no days."""
    counts: ActiveCounts = Counter()
    bot = ActiveUser("helper", is_bot=True)

    assert add_active_day(bot, 3, counts) == bot
    assert not counts
