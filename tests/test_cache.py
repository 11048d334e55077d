"""The cache of look-ups."""

import pytest
from tests.clock import ManualClock

from hubbub.kernel.cache import KEPT_SECONDS, MOST_KEPT, DerivedCache, ExpiringCache


def test_values_are_forgotten_after_a_while() -> None:
    """A value is cached for five seconds, and not longer."""
    clock = ManualClock()
    cache: ExpiringCache[str] = ExpiringCache(clock)
    cache.put("key", "value", version=cache.version)

    assert cache.get("key") == "value"
    clock.advance(int(KEPT_SECONDS) + 1)
    assert cache.get("key") is None


def test_a_look_up_before_a_change_is_not_cached() -> None:
    """A look-up that began before a value was dropped does not store the old value again."""
    cache: ExpiringCache[str] = ExpiringCache(ManualClock())
    version = cache.version
    cache.drop("key")
    cache.put("key", "stale", version=version)

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
    cache.put("app", "an app", version=cache.version)
    clock.advance(2)
    cache.put("key", "a key", version=cache.version)
    return cache


def test_a_derived_value_expires_with_the_first_of_its_sources(
    cache: ExpiringCache[str], clock: ManualClock
) -> None:
    """A value is cached only as long as all that it was made of."""
    derived: DerivedCache[str] = DerivedCache(cache)
    derived.put("both", "a caller", sources=["app", "key"], version=cache.version)
    derived.put("one", "a caller", sources=["key"], version=cache.version)
    clock.advance(4)

    assert (derived.get("both"), derived.get("one")) == (None, "a caller")
    clock.advance(2)
    assert derived.get("one") is None


def test_a_derived_value_needs_all_of_its_sources(cache: ExpiringCache[str]) -> None:
    """A value is not cached if something that it was made of is not."""
    derived: DerivedCache[str] = DerivedCache(cache)
    derived.put("caller", "a caller", sources=["app", "absent"], version=cache.version)

    assert derived.get("caller") is None


@pytest.mark.parametrize("is_by_key", [True, False])
def test_any_drop_invalidates_derived_values(cache: ExpiringCache[str], *, is_by_key: bool) -> None:
    """Once anything was dropped, no value that was made before is used."""
    derived: DerivedCache[str] = DerivedCache(cache)
    derived.put("caller", "a caller", sources=["app"], version=cache.version)
    if is_by_key:
        cache.drop("another")
    else:
        cache.drop_where(lambda value: False)

    assert derived.get("caller") is None


def test_a_value_derived_before_a_drop_is_not_used(cache: ExpiringCache[str]) -> None:
    """A value whose making began before a drop is not used after it."""
    derived: DerivedCache[str] = DerivedCache(cache)
    version = cache.version
    cache.drop("another")
    derived.put("caller", "a caller", sources=["app"], version=version)

    assert derived.get("caller") is None


def test_derived_values_fill_no_memory(cache: ExpiringCache[str]) -> None:
    """The number of cached values has a limit."""
    derived: DerivedCache[str] = DerivedCache(cache)
    for number in range(2 * MOST_KEPT):
        derived.put(number, "a caller", sources=["app"], version=cache.version)
    kept = [number for number in range(2 * MOST_KEPT) if derived.get(number)]

    assert 0 < len(kept) <= MOST_KEPT
