"""The log of notifications, and what a person would be sent of a message now."""

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from hubbub.console import page
from hubbub.console.page import ALL, MODERATORS, PageForm, PageShown, show
from hubbub.console.visit import Visit
from hubbub.domain.notifications.logs import list_latest
from hubbub.domain.notifications.preview import preview
from hubbub.kernel.text import normalise_id
from hubbub.records.notifications.logs import OperatorLogFilter
from hubbub.records.notifications.model import Reason
from hubbub.rest.wire.path import parse_message_id

NOTIFICATIONS = "/apps/{app}/notifications"
PER_PAGE = 50
WHY: Mapping[Reason, str] = {
    Reason.MESSAGES_PREFERENCE: "They want no notifications of messages.",
    Reason.REPLIES_PREFERENCE: "They want no notifications of replies.",
    Reason.QUOTED_REPLIES_PREFERENCE: "They want no notifications of replies that quote.",
    Reason.MESSAGE_ACTIONS_PREFERENCE: "They want none of messages that are edited or deleted.",
    Reason.REACTIONS_PREFERENCE: "They want no notifications of reactions.",
    Reason.GROUP_ACTIONS_PREFERENCE: "They want none of who joins, leaves, or is removed.",
    Reason.DND_PREFERENCE: "They are not to be disturbed.",
    Reason.MUTE_PREFERENCE: "They have muted the conversation.",
    Reason.SCHEDULE_PREFERENCE: "It is outside of the hours that they have chosen.",
    Reason.CALL_PREFERENCE: "They want no notifications of calls.",
    Reason.QUOTA_PREFERENCE: "They were written to as often today as the app allows.",
    Reason.MISSING_EMAIL: "No e-mail address of theirs is stored.",
    Reason.MISSING_PHNO: "No phone number of theirs is stored.",
    Reason.INVALID_PUSH_PROVIDER_ID: "The provider of the device is not there, or not complete.",
    Reason.TIMED_OUT: "The provider was not reached for a day.",
    Reason.NOT_FOUND: "They have no device, or what it is about does not exist any more.",
    Reason.TWILIO_CREATE_ERROR: "Twilio has refused it.",
    Reason.ALREADY_READ: "They have read the message.",
    Reason.NOT_A_MEMBER: "They are no member of the group any more.",
    Reason.BLOCKED: "They have blocked the sender.",
    Reason.LOGGED_OUT: "The device is signed out.",
    Reason.DEACTIVATED: "They are deactivated or deleted.",
    Reason.MESSAGE_DELETED: "The message is deleted, or held back by moderation.",
    Reason.UNSUBSCRIBED: "They have ended such messages.",
}
"""What each reason says of the person who was not notified."""
Id = Annotated[str, msgspec.Meta(max_length=100)]
Digits = Annotated[str, msgspec.Meta(max_length=19)]


class LogQuery(PageForm):
    """Which entries are wanted; empty fields are no condition."""

    person: Id = ""
    message: Digits = ""
    channel: Literal["push", "email", "sms"] | None = None
    reason: Reason | None = None
    outcome: Literal["sent", "failed", "not sent"] | None = None
    before: Annotated[str, msgspec.Meta(max_length=24, pattern="^[0-9a-f]{24}$")] | None = None
    """The id of the last entry of the page before."""

    def wanted(self) -> OperatorLogFilter:
        """Return the conditions.

        Raises:
            BadInput: the message or the person is none.
        """
        return OperatorLogFilter(
            uid=normalise_id(self.person, "person") if self.person else None,
            message_id=parse_message_id(self.message, "message") if self.message else None,
            channel=self.channel,
            reason=self.reason,
            is_triggered=None if self.outcome is None else self.outcome != "not sent",
            is_success=None if self.outcome in (None, "not sent") else self.outcome == "sent",
        )


class CheckQuery(PageForm):
    """A person, and a message that they may be told of."""

    person: Id = ""
    message: Digits = ""


@page.get(NOTIFICATIONS, title="Notifications", roles=ALL)
async def list_notifications(visit: Visit, app: str, query: LogQuery) -> PageShown:
    """Show entries of the log, the newest first; what was sent is shown to who may read it."""
    given = {name: text for name, text in msgspec.to_builtins(query).items() if text}
    given.pop("before", None)
    if _reads_content(visit):
        await visit.look("notification.read", query.person or query.message, after=given)
    found, older = await list_latest(
        visit.runtime, app, query.wanted(), query.before, limit=PER_PAGE
    )
    return show(
        "notifications.html",
        logs=found,
        older=older or "",
        why=WHY,
        reasons=[("", "any"), *((each, each) for each in Reason)],
        reads_content=_reads_content(visit),
        query=query,
        given=given,
    )


@page.get(NOTIFICATIONS + "/check", title="What would be sent?", roles=ALL)
async def check_notification(visit: Visit, app: str, query: CheckQuery) -> PageShown:
    """Say what a person would be sent of a message now, and why not; nothing is sent."""
    is_asked = bool(query.person and query.message)
    found = []
    if is_asked:
        uid = normalise_id(query.person, "person")
        message = parse_message_id(query.message, "message")
        if _reads_content(visit):
            await visit.look("notification.check", f"{uid}/{message}")
        found = await preview(visit.runtime, app, uid, message)
    return show(
        "notification_check.html",
        is_asked=is_asked,
        previews=found,
        why=WHY,
        reads_content=_reads_content(visit),
        query=query,
    )


def _reads_content(visit: Visit) -> bool:
    """Return whether the operator may read what people write, which a notification shows."""
    return visit.operator.role in MODERATORS
