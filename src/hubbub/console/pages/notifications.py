"""The log of notifications, and what a person would be sent of a message now."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec

from hubbub.console import page
from hubbub.console.page import ALL, MODERATORS, PageForm, PageShown, show
from hubbub.console.visit import Visit
from hubbub.domain.notifications.logs import list_logs
from hubbub.domain.notifications.preview import preview
from hubbub.kernel.pages import SliceRequest
from hubbub.kernel.text import normalise_id
from hubbub.records.conversations.model import GROUP, USER
from hubbub.records.notifications.logs import Log, LogFilter
from hubbub.records.notifications.model import Reason
from hubbub.rest.wire.path import parse_message_id

NOTIFICATIONS = "/apps/{app}/notifications"
PER_PAGE = 50
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

    def wanted(self, **further: Any) -> LogFilter:
        """Return the conditions.

        Raises:
            BadInput: the message is none.
        """
        return LogFilter(
            message_id=parse_message_id(self.message, "message") if self.message else None,
            channel=self.channel,
            reason=self.reason,
            is_triggered=None if self.outcome is None else self.outcome != "not sent",
            is_success=None if self.outcome in (None, "not sent") else self.outcome == "sent",
            **further,
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
    found = await _find(visit, app, query)
    return show(
        "notifications.html",
        logs=found[:PER_PAGE],
        older=found[PER_PAGE - 1].id if len(found) > PER_PAGE else "",
        reasons=[("", "any"), *((each, each) for each in Reason)],
        reads_content=_reads_content(visit),
        query=query,
        given=given,
    )


async def _find(visit: Visit, app: str, query: LogQuery) -> Sequence[Log]:
    """Return a page of entries and one more; of a person, those of groups and of other people."""
    wanted = [query.wanted()]
    if query.person:
        uid = normalise_id(query.person, "person")
        wanted = [
            query.wanted(member=uid, receiver_type=GROUP),
            query.wanted(receiver=uid, receiver_type=USER),
        ]
    request = SliceRequest(limit=PER_PAGE + 1, is_before=True, cursor=query.before)
    found = [
        log for each in wanted for log in (await list_logs(visit.runtime, app, each, request)).items
    ]
    return sorted(found, key=lambda log: log.id, reverse=True)[: PER_PAGE + 1]


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
        reads_content=_reads_content(visit),
        query=query,
    )


def _reads_content(visit: Visit) -> bool:
    """Return whether the operator may read what people write, which a notification shows."""
    return visit.operator.role in MODERATORS
