"""The content of a digest: an e-mail or SMS about unread messages of a conversation.

    content = UnreadContent(settings.templates, happenings, show, is_private=…)
    {"to": {…}, **content.mail_data()}      # `Mail.data`: with `subject`
    {"to": {…}, **content.sms_data()}       # `Sms.data`: with `smsContent`

Subject and content are texts, not HTML.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hubbub.domain.notifications.happening import Happening
from hubbub.domain.notifications.rendering.context import Json, Show, context_of
from hubbub.domain.notifications.rendering.templates import Context, cut, one_line, render_with_gaps
from hubbub.domain.notifications.rendering.wording import LONGEST_TITLE, message_body
from hubbub.records.groups.model import Group
from hubbub.records.notifications.templates import Templates
from hubbub.records.users.model import User


class UnreadContent:
    """What is said of unread messages of one conversation, the newest one last."""

    def __init__(
        self,
        templates: Templates,
        happenings: Sequence[Happening],
        show: Show,
        *,
        is_private: bool,
    ) -> None:
        self._templates = templates.choose(is_private=is_private)
        self._happenings = happenings
        self._is_group = happenings[-1].is_group
        self._contexts = [context_of(each, show(each.view), show) for each in happenings]

    def mail_data(self) -> Mapping[str, Any]:
        """Return the data of an e-mail, without `to`."""
        template = self._templates.email_subject
        subject = template.subject_group if self._is_group else template.subject_one_on_one
        return {**self._data(), "subject": cut(one_line(self._text(subject)), LONGEST_TITLE)}

    def sms_data(self) -> Mapping[str, Any]:
        """Return the data of a short message, without `to`."""
        template = self._templates.sms_content
        body = template.body_group if self._is_group else template.body_one_on_one
        return {**self._data(), "smsContent": self._text(body)}

    def _text(self, template: str) -> str:
        """Return a text; values that are missing are left out, and it is never empty."""
        context = {**self._contexts[-1], "messages": [each["message"] for each in self._contexts]}
        text = render_with_gaps(template, context).strip()
        return text or f"New messages ({len(self._happenings)})"

    def _data(self) -> dict[str, Any]:
        newest = self._happenings[-1]
        named = _details(newest.receiver if self._is_group else newest.by)
        entries = [
            self._entry(happening, context)
            for happening, context in zip(self._happenings, self._contexts, strict=True)
        ]
        kind = "groupDetails" if self._is_group else "senderDetails"
        return {"messages": entries, kind: named}

    def _entry(self, happening: Happening, context: Context) -> Json:
        """Return a message: who sent it, and its body by the template of its type."""
        body = message_body(self._templates, happening.message, context)
        return {"sender": _details(happening.by), "message": body}


def _details(of: User | Group) -> Json:
    """Return the id and the name of a user or group, and a picture if there is one."""
    if isinstance(of, Group):
        id_, picture = {"guid": of.guid}, {"icon": of.icon}
    else:
        id_, picture = {"uid": of.uid}, {"avatar": of.avatar}
    shown = {**id_, "name": of.name, **picture}
    return {name: value for name, value in shown.items() if value is not None}
