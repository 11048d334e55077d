"""The apps of the installation, and one of them."""

from typing import Annotated, Literal

import msgspec

from hubbub.console import page
from hubbub.console.page import ADMINS, ALL, OWNERS, ChangeMade, PageForm, PageShown, show
from hubbub.console.visit import Visit
from hubbub.domain.apps import manage
from hubbub.domain.metrics.by_day import find_daily_usage
from hubbub.domain.metrics.find import find_traffic, find_usage
from hubbub.kernel.pages import PageRequest
from hubbub.records.metrics.model import SECONDS_OF_DAY
from hubbub.records.operators.model import ALL_APPS

PER_PAGE = 50
LONGEST_NAME = 100
DAYS = 30
Text = Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]


class AppsQuery(PageForm):
    """Which apps are wanted."""

    search: Text = ""
    page: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1


class NewApp(PageForm):
    """The app to create; without an id one is made."""

    name: Text
    id: Annotated[str, msgspec.Meta(max_length=63)] | None = None
    region: Literal["us", "eu", "in"] = "us"


class Confirmed(PageForm):
    """The id once more, so that nobody deletes an app by a slip."""

    id: Text


@page.get("/apps", title="Apps", roles=ALL)
async def list_apps(visit: Visit, query: AppsQuery) -> PageShown:
    """List the apps that the operator may see."""
    wanted = PageRequest(query.page, PER_PAGE)
    if visit.operator.app != ALL_APPS:
        app, _ = await manage.get_app(visit.runtime, visit.operator.app)
        return show("apps.html", apps=[app], page=None, query=query, given={})
    found = await manage.list_apps(visit.runtime, query.search, wanted)
    given = {"search": query.search} if query.search else {}
    apps = [app for app, _ in found.items]
    return show("apps.html", apps=apps, page=found, query=query, given=given)


@page.post("/apps", roles=ADMINS, for_all_apps=True, back="/apps")
async def create_app(visit: Visit, form: NewApp) -> ChangeMade:
    """Create an app with its two API keys."""
    app_id = form.id or visit.runtime.ids.hexadecimal(manage.ID_LENGTH)
    app, _ = await visit.change(
        "app.create",
        app_id,
        lambda runtime: manage.create_app(
            runtime, name=form.name, region=form.region, app_id=app_id
        ),
        app=app_id,
        after={"name": form.name, "region": form.region},
    )
    return ChangeMade(f"The app {app.id} is created, with two API keys.", to=f"/apps/{app.id}")


@page.get("/apps/{app}", title="Usage", roles=ALL)
async def show_app(visit: Visit, app: str) -> PageShown:
    """Show an app with its usage: the figures of `GET /stats` and `GET /stats/messages`."""
    found, _ = await manage.get_app(visit.runtime, app)
    now = visit.runtime.clock.now()
    return show(
        "app.html",
        shown=found,
        month=await find_usage(visit.runtime, app, now - (DAYS - 1) * SECONDS_OF_DAY, now),
        days=await find_daily_usage(visit.runtime, app, DAYS),
        traffic=await find_traffic(visit.runtime, app),
    )


@page.post("/apps/{app}/delete", roles=OWNERS, back="/apps/{app}")
async def delete_app(visit: Visit, app: str, form: Confirmed) -> ChangeMade:
    """Delete an app: it can't be used any more, and is erased after 30 days."""
    if form.id != app:
        raise page.NotConfirmed("id", app)
    await visit.change("app.delete", app, lambda runtime: manage.delete_app(runtime, app))
    return ChangeMade(f"The app {app} is deleted. Its data are erased after 30 days.", to="/apps")
