"""Turns between apps by the time that each has used, without a store."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from hubbub.outbox.consumer import AppTimes

APPS = ("anna", "ben", "chiara", "dai")
LONGEST = 10


@given(st.lists(st.integers(0, LONGEST), max_size=200))
def test_those_who_wait_use_the_same_time(turns_taken: list[int]) -> None:
    """However long each turn takes, the times of those who wait differ by one turn at most."""
    turns = AppTimes()
    used = Counter(dict.fromkeys(APPS, 0))
    for seconds in turns_taken:
        app = turns.take_next(APPS)
        turns.charge(app, seconds)
        used[app] += seconds
        assert max(used.values()) - min(used.values()) <= LONGEST


def test_time_counts_not_turns() -> None:
    """An app whose turns take ten times as long gets a tenth of the turns."""
    turns = AppTimes()
    taken: Counter[str] = Counter()
    for _ in range(110):
        app = turns.take_next(["quick", "slow"])
        taken[app] += 1
        turns.charge(app, 10.0 if app == "slow" else 1.0)

    assert taken == {"quick": 100, "slow": 10}


def test_idle_apps_save_nothing() -> None:
    """An app that comes back takes turns with the others at once, and does not catch up."""
    turns = AppTimes()
    turns.charge("back", 1.0)
    for _ in range(100):
        turns.take_next(["busy"])
        turns.charge("busy", 1.0)
    taken: Counter[str] = Counter()
    for _ in range(20):
        app = turns.take_next(["back", "busy"])
        taken[app] += 1
        turns.charge(app, 1.0)

    assert abs(taken["back"] - taken["busy"]) <= 2


def test_a_bounded_number_is_kept() -> None:
    """However many apps come by, few are kept, and who has used the most still comes last."""
    turns = AppTimes(most_kept=10)
    turns.charge("busy", 100.0)
    for number in range(1_000):
        app = turns.take_next([f"app {number}", "busy"])
        turns.charge(app, 0.01)
        assert app != "busy"
        assert len(turns._used) <= 10
