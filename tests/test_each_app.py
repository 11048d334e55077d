"""Background work for each app: one that fails holds up no other."""

import pytest
from structlog.testing import capture_logs

from hubbub.kernel.each_app import MOST_UNAVAILABLE, for_each_app
from hubbub.kernel.errors import Unavailable

APPS = [f"app-{number}" for number in range(9)]


async def test_an_app_that_fails_holds_up_no_other() -> None:
    """A defect of an app is logged, and the work goes on with the others."""
    done: list[str] = []

    async def work(app_id: str) -> None:
        if app_id == "app-3":
            raise KeyError(app_id)
        if app_id in ("app-5", "app-6"):
            raise Unavailable("It took too long.")
        done.append(app_id)

    with capture_logs() as logged:
        failed = await for_each_app(APPS, work, name="prune")

    assert failed == {"app-3", "app-5", "app-6"}
    assert done == sorted(set(APPS) - failed)
    assert [(line["work"], line["app"]) for line in logged] == [("prune", "app-3")]


async def test_a_database_that_is_away_ends_the_work() -> None:
    """If the database is available for none of several apps, the others are not tried."""
    tried: list[str] = []

    async def work(app_id: str) -> None:
        tried.append(app_id)
        raise Unavailable("The database can't be reached.")

    with pytest.raises(Unavailable):
        await for_each_app(APPS, work, name="prune")

    assert len(tried) == MOST_UNAVAILABLE
