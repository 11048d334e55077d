"""People of an app: find them, see how they are signed in, help or stop them."""

from typing import Annotated, Literal

import msgspec

from hubbub.console import page
from hubbub.console.page import (
    ADMINS,
    MODERATORS,
    ChangeMade,
    LinkToFollow,
    NotConfirmed,
    PageForm,
    PageShown,
    show,
)
from hubbub.console.visit import Visit
from hubbub.domain.access.actor import APP, Actor
from hubbub.domain.exports import jobs
from hubbub.domain.groups.find import list_groups
from hubbub.domain.members.ban import ban_user
from hubbub.domain.tokens.manage import flush_tokens
from hubbub.domain.tokens.sessions import end_session
from hubbub.domain.users.deactivate import deactivate_users, reactivate_users
from hubbub.domain.users.delete import delete_user
from hubbub.domain.users.find import list_users
from hubbub.domain.users.inspect import inspect_user
from hubbub.files.links import Links, mark_export
from hubbub.kernel.pages import PageRequest
from hubbub.kernel.text import normalise_id
from hubbub.records.exports.model import ExportNotFound, ExportOrder
from hubbub.records.groups.listing import GroupFilter
from hubbub.records.users.listing import UserFilter
from hubbub.records.users.model import User

PEOPLE = "/apps/{app}/people"
PERSON = PEOPLE + "/{uid}"
PER_PAGE = 50
MOST_GROUPS = 100


class PeopleQuery(PageForm):
    """Which people are wanted."""

    search: Annotated[str, msgspec.Meta(max_length=100)] = ""
    state: Literal["active", "deactivated", "online"] = "active"
    page: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1


class GroupOfBan(PageForm):
    """The group that a person is banned from."""

    guid: Annotated[str, msgspec.Meta(max_length=100)]


class PersonConfirmed(PageForm):
    """The uid once more."""

    confirm: Annotated[str, msgspec.Meta(max_length=100)] = ""


@page.get(PEOPLE, title="People", roles=MODERATORS)
async def list_people(visit: Visit, app: str, query: PeopleQuery) -> PageShown:
    """Find people by the beginnings of words of their name, or of their uid."""
    wanted = UserFilter(
        search=query.search,
        status="available" if query.state == "online" else None,
        only_deactivated=query.state == "deactivated",
    )
    found = await list_users(visit.runtime, app, APP, wanted, PageRequest(query.page, PER_PAGE))
    given = {"search": query.search, "state": query.state}
    users = [each.user for each in found.items]
    return show("people.html", people=users, page=found, query=query, given=given)


@page.get(PERSON, title="Person", roles=MODERATORS)
async def show_person(visit: Visit, app: str, uid: str) -> PageShown:
    """Show a person with their sessions, devices, tokens, groups and exports."""
    found = await inspect_user(visit.runtime, app, normalise_id(uid, "uid"))
    exports = [
        each
        for each in await jobs.list_exports(visit.runtime, app)
        if each.order().user == found.user.uid
    ]
    return show(
        "person.html",
        title=found.user.name,
        person=found.user,
        found=found,
        groups=await _groups_of(visit, app, found.user),
        exports=exports,
    )


async def _groups_of(visit: Visit, app: str, user: User) -> list[tuple[str, str]]:
    """Return the ids and names of the groups that a person is in; who is not active sees none."""
    if not user.is_active:
        return []
    wanted = GroupFilter(joined_only=True, viewer=user.uid)
    found = await list_groups(
        visit.runtime, app, Actor(user.uid), wanted, PageRequest(1, MOST_GROUPS)
    )
    return [(each.group.guid, each.group.name) for each in found.items]


@page.post(PERSON + "/deactivate", roles=MODERATORS, back=PERSON)
async def deactivate(visit: Visit, app: str, uid: str) -> ChangeMade:
    """Deactivate a person: they are signed out and hidden, and nothing of theirs is deleted."""
    await inspect_user(visit.runtime, app, uid)
    await visit.change(
        "user.deactivate", uid, lambda runtime: deactivate_users(runtime, app, [uid])
    )
    return ChangeMade("The person is deactivated.")


@page.post(PERSON + "/reactivate", roles=MODERATORS, back=PERSON)
async def reactivate(visit: Visit, app: str, uid: str) -> ChangeMade:
    """Reactivate a person: they can sign in again."""
    await inspect_user(visit.runtime, app, uid)
    await visit.change(
        "user.reactivate", uid, lambda runtime: reactivate_users(runtime, app, [uid])
    )
    return ChangeMade("The person is active again.")


@page.post(PERSON + "/tokens/revoke", roles=MODERATORS, back=PERSON)
async def revoke_tokens(visit: Visit, app: str, uid: str) -> ChangeMade:
    """Revoke all auth tokens of a person: all of their devices are signed out."""
    await visit.change(
        "user.revoke-tokens", uid, lambda runtime: flush_tokens(runtime, app, APP, uid)
    )
    return ChangeMade("All devices of the person are signed out.")


@page.post(PERSON + "/sessions/{session}/end", roles=MODERATORS, back=PERSON)
async def end_one_session(visit: Visit, app: str, uid: str, session: str) -> ChangeMade:
    """Revoke one auth token of a person: that device is signed out."""
    await visit.change(
        "user.end-session", uid, lambda runtime: end_session(runtime, app, APP, uid, session)
    )
    return ChangeMade("The device is signed out.")


@page.post(PERSON + "/ban", roles=MODERATORS, back=PERSON)
async def ban(visit: Visit, app: str, uid: str, form: GroupOfBan) -> ChangeMade:
    """Ban a person from a group."""
    guid = normalise_id(form.guid, "guid")
    await visit.change(
        "user.ban",
        uid,
        lambda runtime: ban_user(runtime, app, APP, guid, uid),
        after={"group": guid},
    )
    return ChangeMade(f"The person is banned from the group {guid}.")


@page.post(PERSON + "/exports", roles=ADMINS, back=PERSON)
async def export(visit: Visit, app: str, uid: str) -> ChangeMade:
    """Have all exported that is stored about a person."""
    await visit.change(
        "user.export",
        uid,
        lambda runtime: jobs.ask_for_export(runtime, app, ExportOrder(user=uid)),
    )
    return ChangeMade("The export is being made. Reload this page to see when it is done.")


@page.post(PERSON + "/exports/{export}/open", roles=ADMINS, back=PERSON)
async def open_export(visit: Visit, app: str, uid: str, export: str) -> LinkToFollow:
    """Open the file of an export by a signed link."""
    found = await jobs.find_export(visit.runtime, app, export)
    if found.order().user != uid or not found.size:
        raise ExportNotFound(export)
    await visit.look("user.open-export", uid)
    links = Links(visit.runtime.sealer, app, "", visit.runtime.clock.now())
    return LinkToFollow(links.link(f'"{mark_export(export)}"'.encode()).decode().strip('"'))


@page.post(PERSON + "/erase", roles=ADMINS, back=PERSON)
async def erase(visit: Visit, app: str, uid: str, form: PersonConfirmed) -> ChangeMade:
    """Delete a person permanently, with all that they wrote."""
    if form.confirm != uid:
        raise NotConfirmed("confirm", uid)
    await visit.change(
        "user.erase", uid, lambda runtime: delete_user(runtime, app, uid, is_permanent=True)
    )
    return ChangeMade(
        f"{uid} is deleted. Their messages are erased in the background.",
        to=f"/apps/{app}/people",
    )
