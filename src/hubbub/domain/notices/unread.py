"""The content of an e-mail or SMS about unread messages of a conversation.

    content = UnreadContent(settings.templates, occasions, is_private=…)
    {"to": {…}, **content.mail_data()}      # `Mail.data`: with `subject`
    {"to": {…}, **content.sms_data()}       # `Sms.data`: with `smsContent`

Subject and content are texts, not HTML.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hubbub.domain.notices.context import context_of
from hubbub.domain.notices.occasions import Json, Occasion
from hubbub.domain.notices.templates import Context, cut, one_line, render_with_gaps
from hubbub.domain.notices.wording import LONGEST_TITLE, message_body
from hubbub.records.notifications.templates import Templates

_USER, _GROUP = ("uid", "name", "avatar"), ("guid", "name", "icon")


class UnreadContent:
    """What is said of unread messages of one conversation, the newest one last."""

    def __init__(
        self, templates: Templates, occasions: Sequence[Occasion], *, is_private: bool
    ) -> None:
        self._templates = templates.choose(is_private=is_private)
        self._occasions = occasions
        self._is_group = occasions[-1].is_group
        self._contexts = [context_of(each) for each in occasions]

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
        return text or f"New messages ({len(self._occasions)})"

    def _data(self) -> dict[str, Any]:
        newest = self._occasions[-1]
        details = (
            {"groupDetails": _some_of(newest.receiver, _GROUP)}
            if self._is_group
            else {"senderDetails": _some_of(newest.by, _USER)}
        )
        entries = [
            self._entry(occasion, context)
            for occasion, context in zip(self._occasions, self._contexts, strict=True)
        ]
        return {"messages": entries, **details}

    def _entry(self, occasion: Occasion, context: Context) -> Json:
        """Return a message: who sent it, and its body by the template of its type."""
        body = message_body(self._templates, occasion.message, context)
        return {"sender": _some_of(occasion.by, _USER), "message": body}


def _some_of(entity: Json, names: Sequence[str]) -> Json:
    return {name: entity[name] for name in names if name in entity}
