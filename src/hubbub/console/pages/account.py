"""The operator's own account: password, one-time codes, sign-out."""

from typing import Annotated

import msgspec

from hubbub.console import page
from hubbub.console.page import ALL, ChangeMade, PageForm, PageShown, show
from hubbub.console.visit import Visit
from hubbub.domain.operators.account import begin_totp, change_password, end_totp, set_totp
from hubbub.domain.operators.sign_in import sign_out as end_session
from hubbub.domain.operators.totp import totp_link

BACK = "/account"
Text = Annotated[str, msgspec.Meta(max_length=200)]


class NewPassword(PageForm):
    """Another password, and the one so far."""

    current: Text
    password: Text


class ConfirmTotp(PageForm):
    """The operator's password, a secret that was shown, sealed, and a code of it."""

    current: Text
    sealed: Annotated[str, msgspec.Meta(max_length=400)]
    code: Text


class CurrentPassword(PageForm):
    """The operator's password."""

    current: Text


@page.get(BACK, title="Your account", roles=ALL)
async def show_account(visit: Visit) -> PageShown:
    """Show the operator's account, with a new secret of one-time codes if they have none."""
    if visit.operator.has_totp:
        return show("account.html", secret="", sealed="", link="")
    secret, sealed = begin_totp(visit.runtime, visit.doer)
    return show(
        "account.html", secret=secret, sealed=sealed, link=totp_link(secret, visit.operator.name)
    )


@page.post("/account/password", roles=ALL, back=BACK)
async def set_password(visit: Visit, form: NewPassword) -> ChangeMade:
    """Change the operator's password; their other sessions end."""
    await change_password(visit.runtime, visit.doer, visit.session, form.current, form.password)
    visit.has_recorded = True
    return ChangeMade("Your password is changed. All other sessions of yours have ended.")


@page.post("/account/codes", roles=ALL, back=BACK)
async def use_codes(visit: Visit, form: ConfirmTotp) -> ChangeMade:
    """Ask for one-time codes at each sign-in from now on."""
    await set_totp(visit.runtime, visit.doer, form.current, form.sealed, form.code)
    visit.has_recorded = True
    return ChangeMade("From now on, a one-time code is asked for when you sign in.")


@page.post("/account/codes/end", roles=ALL, back=BACK)
async def use_no_codes(visit: Visit, form: CurrentPassword) -> ChangeMade:
    """Ask for no one-time codes any more."""
    await end_totp(visit.runtime, visit.doer, form.current)
    visit.has_recorded = True
    return ChangeMade("One-time codes are not asked for any more.")


@page.post("/sign-out", roles=ALL, back=BACK)
async def sign_out(visit: Visit) -> ChangeMade:
    """End the session."""
    await end_session(visit.runtime, visit.doer, visit.session)
    visit.has_recorded = True
    return ChangeMade("", to="/sign-in", ends_session=True)
