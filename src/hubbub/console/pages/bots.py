"""The bots of an app: users that a program speaks for."""

from hubbub.console import page
from hubbub.console.page import DEVELOPERS, ChangeMade, PageForm, PageShown, show
from hubbub.console.visit import Visit
from hubbub.domain.bots import manage
from hubbub.domain.users.update import ProfileChange
from hubbub.kernel.pages import PageRequest
from hubbub.records.users.model import Profile, UserDraft
from hubbub.rest.people.bots import BotUid
from hubbub.rest.wire.shapes import Link, Name

BOTS = "/apps/{app}/bots"
MOST = 1_000


class NewBot(PageForm):
    """The bot to create."""

    uid: BotUid
    name: Name
    avatar: Link | None = None


class BotProfile(PageForm):
    """The profile of a bot; a picture that is not given stays."""

    name: Name
    avatar: Link | None = None


@page.get(BOTS, title="Bots", roles=DEVELOPERS)
async def list_bots(visit: Visit, app: str) -> PageShown:
    """List the bots of an app."""
    found = await manage.list_all_bots(visit.runtime, app, PageRequest(1, MOST))
    return show("bots.html", bots=found.items)


@page.post(BOTS, roles=DEVELOPERS, back=BOTS)
async def create_bot(visit: Visit, app: str, form: NewBot) -> ChangeMade:
    """Create a bot."""
    draft = UserDraft(form.uid.lower(), Profile(name=form.name, avatar=form.avatar), is_bot=True)
    await visit.change(
        "bot.create", draft.uid, lambda runtime: manage.create_bot(runtime, app, draft)
    )
    return ChangeMade(
        f"The bot {draft.uid} is created. Your server sends by POST /bots/{draft.uid}/messages."
    )


@page.post(BOTS + "/{uid}", roles=DEVELOPERS, back=BOTS)
async def change_bot(visit: Visit, app: str, uid: str, form: BotProfile) -> ChangeMade:
    """Change the profile of a bot."""
    change = ProfileChange(Profile(name=form.name, avatar=form.avatar))
    await visit.change(
        "bot.change", uid, lambda runtime: manage.update_bot(runtime, app, uid, change)
    )
    return ChangeMade(f"The bot {uid} is changed, in its earlier messages, too.")


@page.post(BOTS + "/{uid}/delete", roles=DEVELOPERS, back=BOTS)
async def delete_bot(visit: Visit, app: str, uid: str) -> ChangeMade:
    """Delete a bot; its messages stay."""
    await visit.change("bot.delete", uid, lambda runtime: manage.delete_bot(runtime, app, uid))
    return ChangeMade(f"The bot {uid} is deleted. Its messages stay, with its name.")
