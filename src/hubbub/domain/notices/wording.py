"""The title and body of the notifications of an occasion, and the template that they come from.

A user mention outranks `@all`, and both outrank the template of the message's category and type.
Reactions, edits, deletions and changes of members have no templates of their own: the title is that
of a text message, the body is one of `phrases`. A body without a value for a placeholder gives way
to the template's `body_fallback`, then to the body by the message's type, then to "New message".
"""

from enum import Enum

from hubbub.domain.notices.context import context_of
from hubbub.domain.notices.occasions import MESSAGES, Item, Json, Occasion
from hubbub.domain.notices.phrases import phrase
from hubbub.domain.notices.templates import Context, cut, one_line, render, render_with_gaps
from hubbub.records.messages.model import CUSTOM, INTERACTIVE, MEDIA_TYPES
from hubbub.records.notifications.templates import (
    NEW_MESSAGE,
    FallbackTemplate,
    GroupMentionTemplate,
    MediaTemplate,
    Templates,
    TemplateSet,
    TextTemplate,
    UserMentionTemplate,
)

LONGEST_TITLE = 256
_CUSTOM = {"extension_poll": "poll_message", "extension_reminders": "reminder_message"}
_INTERACTIVE = {
    "form": "interactive_form",
    "card": "interactive_card",
    "scheduler": "interactive_scheduler",
}
MessageTemplate = TextTemplate | MediaTemplate | FallbackTemplate
MentionTemplate = UserMentionTemplate | GroupMentionTemplate


class Audience(Enum):
    """The people who get the same text."""

    ALL = "all"
    MENTIONED = "mentioned"
    """Those whom the message mentions by their uid."""
    AUTHOR = "author"
    """The sender of the message that has a reaction."""


def audience_of(occasion: Occasion, uid: str) -> Audience:
    """Return the audience that a person belongs to."""
    if occasion.item in MESSAGES:
        return Audience.MENTIONED if uid in occasion.mentioned else Audience.ALL
    is_author = occasion.item is Item.REACTION and uid == occasion.author
    return Audience.AUTHOR if is_author else Audience.ALL


class Wording:
    """The titles and bodies of an occasion, by the templates of an app."""

    def __init__(self, templates: Templates, occasion: Occasion) -> None:
        self.templates = templates
        self.occasion = occasion
        self.context = context_of(occasion)

    def texts(self, audience: Audience, *, is_private: bool) -> tuple[str, str]:
        """Return the title and the body for an audience, from the privacy templates if asked."""
        templates = self.templates.choose(is_private=is_private)
        template: MessageTemplate | MentionTemplate | None
        if self.occasion.item in MESSAGES:
            template = self._mention_template(templates, audience)
            body = self._mention_body(template) if template else None
            template = template or message_template(templates, self.occasion.message)
            return self._title(template), body or self._message_body(templates)
        body = phrase(
            self.occasion,
            body=self._message_body(templates),
            is_own=audience is Audience.AUTHOR,
            is_private=is_private,
        )
        return self._title(templates.text_message), body

    def _message_body(self, templates: TemplateSet) -> str:
        return message_body(templates, self.occasion.message, self.context)

    def _mention_template(
        self, templates: TemplateSet, audience: Audience
    ) -> MentionTemplate | None:
        if audience is Audience.MENTIONED:
            return templates.user_mention
        is_for_all = self.occasion.mentions_all and self.occasion.is_group
        return templates.group_mention if is_for_all else None

    def _mention_body(self, template: MentionTemplate) -> str | None:
        if isinstance(template, GroupMentionTemplate):
            body = template.body
        else:
            is_group = self.occasion.is_group
            body = template.body_group if is_group else template.body_one_on_one
        return first_text([body, template.body_fallback], self.context)

    def _title(self, template: MessageTemplate | MentionTemplate) -> str:
        """Return the title; if its template gives no text, it is the name of who did it."""
        if self.occasion.is_group or isinstance(template, GroupMentionTemplate):
            text = template.title_group
        else:
            text = template.title_one_on_one
        title = one_line(render_with_gaps(text, self.context))
        return cut(title or one_line(str(self.occasion.by.get("name", ""))), LONGEST_TITLE)


def message_template(templates: TemplateSet, message: Json) -> MessageTemplate:
    """Return the template of a message's category and type."""
    category, type_ = message.get("category"), str(message.get("type"))
    if category == CUSTOM:
        name = _CUSTOM.get(type_, "custom_message")
    elif category == INTERACTIVE:
        name = _INTERACTIVE.get(type_, "interactive_custom")
    else:
        name = "media_message" if type_ in MEDIA_TYPES else "text_message"
    found: MessageTemplate = getattr(templates, name)
    return found


def message_body(templates: TemplateSet, message: Json, context: Context) -> str:
    """Return the body of a message by the template of its category and type."""
    template = message_template(templates, message)
    if isinstance(template, MediaTemplate):
        bodies = [getattr(template, f"body_{message['type']}")]
    elif isinstance(template, FallbackTemplate):
        bodies = [template.body, template.body_fallback]
    else:
        bodies = [template.body]
    return first_text(bodies, context) or NEW_MESSAGE


def first_text(bodies: list[str], context: Context) -> str | None:
    """Return the first body whose placeholders all have values, if it has any text."""
    rendered = (render(body, context) for body in bodies)
    return next((body for body in rendered if body is not None and body.strip()), None)
