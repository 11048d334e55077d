"""The record cache is bounded over all apps, and no app ousts the records of the others."""

from collections.abc import Mapping
from dataclasses import replace

from hubbub.records.users import store
from hubbub.storage.cached import CachedKind
from hubbub.storage.counters import Counters
from hubbub.storage.record_cache import RecordCaches
from hubbub.storage.transaction import BaseTransaction

MOST = 1_000
KIND: CachedKind[str, object] = next(
    each for each in vars(store).values() if isinstance(each, CachedKind)
)


class Apps:
    """The transactions of many apps of a node."""

    def __init__(self) -> None:
        self.caches = RecordCaches(MOST)
        self._versions: dict[str, int] = {}

    def write(self, app_id: str, records: Mapping[str, object]) -> None:
        """Commit a transaction that caches records."""
        version = self._versions.get(app_id, 0)
        tx = BaseTransaction(app_id, self.caches)
        tx.lock(Counters(1, 0, version, 0, 0, 0, 0, None, version, 0, 0))
        assert tx.record_cache is not None
        assert tx.counters is not None
        tx.record_cache.put(KIND, records)
        self._versions[app_id] = version + 1
        tx.counters = replace(tx.counters, version=version + 1, event=version + 1)
        self.caches.close(tx)

    def cached(self, app_id: str) -> int:
        """Return how many records of an app are cached."""
        cache = self.caches._of_app.get(app_id)
        return len(cache.records[KIND]) if cache is not None else 0


def some(app_id: str, at: int, count: int) -> dict[str, object]:
    """Return records with keys of their own."""
    return {f"{app_id}-{at}-{number}": object() for number in range(count)}


def test_the_limit_holds_for_all_apps_together() -> None:
    """Apps that cache some records more from time to time never have more than the limit."""
    apps, names = Apps(), [f"app{number}" for number in range(20)]
    for name in names:
        apps.write(name, {})
    for at in range(50):
        for name in names:
            apps.write(name, some(name, at, 30))
            assert sum(map(apps.cached, names)) <= MOST


def test_an_app_loses_its_own_records_first() -> None:
    """An app that reads ever more users does not oust what is cached of the others."""
    apps, others = Apps(), [f"app{number}" for number in range(10)]
    for name in others:
        apps.write(name, some(name, 0, 20))
    for at in range(100):
        apps.write("greedy", some("greedy", at, 100))

        assert [apps.cached(name) for name in others] == [20] * 10
        assert apps.cached("greedy") <= MOST


def test_records_that_are_cached_anew_count_once() -> None:
    """An app that caches the same records again and again loses none."""
    apps = Apps()
    for _ in range(100):
        apps.write("app", some("app", 0, 500))

    assert apps.cached("app") == 500


def test_the_number_of_apps_is_bounded() -> None:
    """Apps of which nothing is cached count, too."""
    apps = Apps()
    for number in range(10 * MOST):
        apps.write(f"app{number}", {})

    assert len(apps.caches._of_app) <= MOST
