"""The cache of look-ups."""

import random
from collections.abc import Hashable

import pytest
from tests.clock import ManualClock

from hubbub.kernel.cache import (
    KEPT_SECONDS,
    MOST_KEPT,
    DerivedCache,
    ExpiringCache,
    SharedEntries,
    fair_share,
)


def test_values_are_forgotten_after_a_while() -> None:
    """A value is cached for five seconds, and not longer."""
    clock = ManualClock()
    cache: ExpiringCache[str] = ExpiringCache(clock)
    cache.put("key", "value", app_id="app", version=cache.version)

    assert cache.get("key") == "value"
    clock.advance(int(KEPT_SECONDS) + 1)
    assert cache.get("key") is None


def test_a_look_up_before_a_change_is_not_cached() -> None:
    """A look-up that began before a value was dropped does not store the old value again."""
    cache: ExpiringCache[str] = ExpiringCache(ManualClock())
    version = cache.version
    cache.drop("key", app_id="app")
    cache.put("key", "stale", app_id="app", version=version)

    assert cache.get("key") is None


# Values made of others


@pytest.fixture
def clock() -> ManualClock:
    """A clock."""
    return ManualClock()


@pytest.fixture
def cache(clock: ManualClock) -> ExpiringCache[str]:
    """A cache with two entries, the second one two seconds younger."""
    cache: ExpiringCache[str] = ExpiringCache(clock)
    cache.put("app", "an app", app_id="app", version=cache.version)
    clock.advance(2)
    cache.put("key", "a key", app_id="app", version=cache.version)
    return cache


def test_a_derived_value_expires_with_the_first_of_its_sources(
    cache: ExpiringCache[str], clock: ManualClock
) -> None:
    """A value is cached only as long as all that it was made of."""
    derived: DerivedCache[str] = DerivedCache(cache)
    derived.put("both", "a caller", sources=["app", "key"], app_id="app", version=cache.version)
    derived.put("one", "a caller", sources=["key"], app_id="app", version=cache.version)
    clock.advance(4)

    assert (derived.get("both"), derived.get("one")) == (None, "a caller")
    clock.advance(2)
    assert derived.get("one") is None


def test_a_derived_value_needs_all_of_its_sources(cache: ExpiringCache[str]) -> None:
    """A value is not cached if something that it was made of is not."""
    derived: DerivedCache[str] = DerivedCache(cache)
    derived.put(
        "caller", "a caller", sources=["app", "absent"], app_id="app", version=cache.version
    )

    assert derived.get("caller") is None


@pytest.mark.parametrize("is_by_key", [True, False])
def test_any_drop_of_an_app_invalidates_its_derived_values(
    cache: ExpiringCache[str], *, is_by_key: bool
) -> None:
    """Once an app dropped anything, no value that was made for it before is used."""
    derived: DerivedCache[str] = DerivedCache(cache)
    derived.put("caller", "a caller", sources=["app"], app_id="app", version=cache.version)
    if is_by_key:
        cache.drop("another", app_id="app")
    else:
        cache.drop_all("app")

    assert derived.get("caller") is None


def test_a_value_derived_before_a_drop_is_not_used(cache: ExpiringCache[str]) -> None:
    """A value whose making began before a drop is not used after it."""
    derived: DerivedCache[str] = DerivedCache(cache)
    version = cache.version
    cache.drop("another", app_id="app")
    derived.put("caller", "a caller", sources=["app"], app_id="app", version=version)

    assert derived.get("caller") is None


def test_derived_values_fill_no_memory(cache: ExpiringCache[str]) -> None:
    """The number of cached values has a limit."""
    derived: DerivedCache[str] = DerivedCache(cache)
    for number in range(2 * MOST_KEPT):
        derived.put(number, "a caller", sources=["app"], app_id="app", version=cache.version)
    kept = [number for number in range(2 * MOST_KEPT) if derived.get(number)]

    assert 0 < len(kept) <= MOST_KEPT


# Many apps


def test_what_an_app_drops_concerns_no_other(cache: ExpiringCache[str]) -> None:
    """Values of other apps stay, those made of others too, and theirs are cached meanwhile."""
    derived: DerivedCache[str] = DerivedCache(cache)
    version = cache.version
    derived.put("caller", "a caller", sources=["app"], app_id="app", version=version)
    cache.put("its own", "a token", app_id="loud", version=version)
    cache.drop_all("loud")
    cache.drop("absent", app_id="loud")
    cache.put("new", "a token", app_id="app", version=version)

    assert cache.get("its own") is None
    assert derived.get("caller") == "a caller"
    assert (cache.get("app"), cache.get("new")) == ("an app", "a token")


def test_drops_of_many_apps_fill_no_memory(clock: ManualClock) -> None:
    """However many apps drop something, a look-up that began before is not cached."""
    cache: ExpiringCache[str] = ExpiringCache(clock)
    version = cache.version
    for number in range(MOST_KEPT + 1):
        cache.drop_all(f"app {number}")
    cache.put("key", "stale", app_id="app 0", version=version)
    cache.put("key of the last", "stale", app_id=f"app {MOST_KEPT}", version=version)

    assert cache.get("key") is None
    assert cache.get("key of the last") is None


def test_an_app_that_fills_a_cache_loses_its_own_entries(clock: ManualClock) -> None:
    """Entries of other apps stay, as long as these have no more than their share."""
    cache: ExpiringCache[str] = ExpiringCache(clock)
    derived: DerivedCache[str] = DerivedCache(cache)
    others = [f"app {number}" for number in range(10)]
    for app in (*others, "greedy"):
        cache.put(app, app, app_id=app, version=cache.version)
        derived.put((app, 0), app, app_id=app, sources=[app], version=cache.version)
    for number in range(3 * MOST_KEPT):
        cache.put(number, "a token", app_id="greedy", version=cache.version)
        derived.put(
            ("greedy", number), "a", app_id="greedy", sources=["app 0"], version=cache.version
        )

    assert [cache.get(app) for app in others] == others
    assert [derived.get((app, 0)) for app in others] == others


@pytest.mark.parametrize(
    ("sizes", "most", "share"),
    [
        ([1, 2, 3], 6, 6),
        ([10, 10], 10, 5),
        ([1, 2, 100], 10, 7),
        ([4, 4, 4], 2, 0),
        ([], 5, 5),
    ],
)
def test_fair_shares(sizes: list[int], most: int, share: int) -> None:
    """Who needs less than an equal part leaves the rest to others."""
    assert fair_share(sizes, most) == share
    assert sum(min(size, share) for size in sizes) <= most


def test_entries_are_those_of_a_dictionary() -> None:
    """Entries have the value that was put last; removed keys are gone; the number has a limit."""
    entries: SharedEntries[int] = SharedEntries(100)
    model: dict[Hashable, tuple[str, int]] = {}
    dice = random.Random(1)
    for number in range(5_000):
        key, owner = dice.randrange(300), str(dice.randrange(5))
        chance = dice.random()
        if chance < 0.2:
            entries.pop(key)
            model.pop(key, None)
        elif chance < 0.21:
            entries.pop_all(owner)
            model = {each: put for each, put in model.items() if put[0] != owner}
        else:
            entries.put(owner, key, number)
            model[key] = owner, number
            assert entries.get(key) == number
        kept = [each for each in range(300) if entries.get(each) is not None]
        assert len(kept) == len(entries) <= 100
        assert all(model[each][1] == entries.get(each) for each in kept)
