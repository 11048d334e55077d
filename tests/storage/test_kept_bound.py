"""Kept records are bounded over all apps, and no app ousts the records of the others."""

from collections.abc import Mapping
from dataclasses import replace

from hubbub.records.users import store
from hubbub.storage.counters import Counters
from hubbub.storage.kept import Kept
from hubbub.storage.memory import Memories
from hubbub.storage.transaction import BaseTransaction

MOST = 1_000
KIND: Kept[str, object] = next(each for each in vars(store).values() if isinstance(each, Kept))


class Apps:
    """The transactions of many apps of a node."""

    def __init__(self) -> None:
        self.memories = Memories(MOST)
        self._versions: dict[str, int] = {}

    def write(self, app_id: str, records: Mapping[str, object]) -> None:
        """Commit a transaction that keeps records."""
        version = self._versions.get(app_id, 0)
        tx = BaseTransaction(app_id, self.memories)
        tx.lock(Counters(1, 0, version, 0, 0, 0, 0, None, version, 0, 0))
        assert tx.memory is not None
        assert tx.counters is not None
        tx.memory.keep(KIND, records)
        self._versions[app_id] = version + 1
        tx.counters = replace(tx.counters, version=version + 1, event=version + 1)
        self.memories.close(tx)

    def kept(self, app_id: str) -> int:
        """Return how many records of an app are kept."""
        memory = self.memories._of_app.get(app_id)
        return len(memory.records[KIND]) if memory is not None else 0


def some(app_id: str, at: int, count: int) -> dict[str, object]:
    """Return records with keys of their own."""
    return {f"{app_id}-{at}-{number}": object() for number in range(count)}


def test_the_limit_holds_for_all_apps_together() -> None:
    """Apps that keep some records more from time to time never keep more than the limit."""
    apps, names = Apps(), [f"app{number}" for number in range(20)]
    for name in names:
        apps.write(name, {})
    for at in range(50):
        for name in names:
            apps.write(name, some(name, at, 30))
            assert sum(map(apps.kept, names)) <= MOST


def test_an_app_forgets_its_own_records_first() -> None:
    """An app that reads ever more users does not oust what is kept of the others."""
    apps, others = Apps(), [f"app{number}" for number in range(10)]
    for name in others:
        apps.write(name, some(name, 0, 20))
    for at in range(100):
        apps.write("greedy", some("greedy", at, 100))

        assert [apps.kept(name) for name in others] == [20] * 10
        assert apps.kept("greedy") <= MOST


def test_records_that_are_kept_anew_count_once() -> None:
    """An app that keeps the same records again and again forgets none."""
    apps = Apps()
    for _ in range(100):
        apps.write("app", some("app", 0, 500))

    assert apps.kept("app") == 500


def test_the_number_of_apps_is_bounded() -> None:
    """Apps that keep nothing count, too."""
    apps = Apps()
    for number in range(10 * MOST):
        apps.write(f"app{number}", {})

    assert len(apps.memories._of_app) <= MOST
