"""The cache of look-ups."""

from tests.clock import ManualClock

from hubbub.kernel.cache import KEPT_SECONDS, ExpiringCache


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
