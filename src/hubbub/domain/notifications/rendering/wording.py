"""The title and body of the notifications of an event, and the template that they come from.

A user mention outranks `@all`, and both outrank the template of the message's category and type.
Reactions, edits, deletions and changes of members have no templates of their own, and the reference
leaves their texts open: the title is that of a text message, and the body follows the name in it. A
body without a value for a placeholder gives way to the template's `body_fallback`, then to the body
by the message's type, then to "New message".
"""

import re
from enum import Enum

from hubbub.domain.notifications.happening import NOTIFIED, Happening
from hubbub.domain.notifications.rendering.templates import (
    LONGEST_TEXT,
    Context,
    cut,
    one_line,
    render,
    render_with_gaps,
)
from hubbub.records.messages.actions import read_member_action
from hubbub.records.messages.model import CUSTOM, INTERACTIVE, MEDIA_TYPES, Message
from hubbub.records.notifications.items import MESSAGES, Item
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
from hubbub.records.polls.model import POLL

LONGEST_TITLE = 256
_LONGEST_NAME = 256
_CUSTOM = {"extension_poll": "poll_message", "extension_reminders": "reminder_message"}
_INTERACTIVE = {
    "form": "interactive_form",
    "card": "interactive_card",
    "scheduler": "interactive_scheduler",
    POLL: "poll_message",
}
OF_OTHER_POLLS, OF_POLLS = "{{message.data.customData.", "{{message.data."
"""Where templates look for the question: custom messages have it elsewhere."""
_SCOPES = {"admin": "an admin", "moderator": "a moderator", "participant": "a participant"}
_PHRASES = {
    each.item: (each.says, each.says_privately or each.says)
    for each in NOTIFIED.values()
    if each.says is not None
}
"""The bodies of what is no new message, without and with privacy."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
MessageTemplate = TextTemplate | MediaTemplate | FallbackTemplate
MentionTemplate = UserMentionTemplate | GroupMentionTemplate


class Variant(Enum):
    """Which of the texts for a happening a person gets."""

    ALL = "all"
    MENTIONED = "mentioned"
    """Those whom the message mentions by their uid."""
    AUTHOR = "author"
    """The sender of the message that has a reaction."""


def variant_of(happening: Happening, uid: str) -> Variant:
    """Return the variant that a person is sent."""
    if happening.item in MESSAGES:
        return Variant.MENTIONED if uid in happening.view.mentions else Variant.ALL
    is_author = happening.item is Item.REACTION and uid == happening.author
    return Variant.AUTHOR if is_author else Variant.ALL


class Wording:
    """The titles and bodies of an event, by the templates of an app."""

    def __init__(self, templates: Templates, happening: Happening, context: Context) -> None:
        self._templates = templates
        self._happening = happening
        self._context = context

    def texts(self, variant: Variant, *, is_private: bool) -> tuple[str, str]:
        """Return the title and the body of a variant, from the privacy templates if asked."""
        templates = self._templates.choose(is_private=is_private)
        template: MessageTemplate | MentionTemplate | None
        if self._happening.item in MESSAGES:
            template = self._mention_template(templates, variant)
            body = self._mention_body(template) if template else None
            template = template or message_template(templates, self._happening.message)
            return self._title(template), body or self._message_body(templates)
        body = self._phrase(templates, variant, is_private=is_private)
        return self._title(templates.text_message), body

    def _phrase(self, templates: TemplateSet, variant: Variant, *, is_private: bool) -> str:
        """Return the body of what is no new message.

        For privacy, nothing is said of the content or of the reaction.
        """
        phrases = _PHRASES.get(self._happening.item)
        if phrases is None:  # a call, of which there is no event yet
            return f"{self._happening.message.type.upper()} CALL"
        public, private = phrases
        # In one go, so that a name is never taken for a placeholder.
        said = _PLACEHOLDER.sub(
            lambda found: self._value(found[1], templates, variant),
            private if is_private else public,
        )
        return cut(said, LONGEST_TEXT)

    def _value(self, placeholder: str, templates: TemplateSet, variant: Variant) -> str:
        """Return what stands for a placeholder of a phrase.

        Raises:
            KeyError: there is no such placeholder.
        """
        view = self._happening.view
        match placeholder:
            case "text":
                return self._message_body(templates)
            case "whose":
                return "your" if variant is Variant.AUTHOR else "a"
            case "reaction":
                return cut(one_line(self._happening.event.reaction), _LONGEST_NAME)
            case "name":
                return cut(one_line((view.on or view.sender).name), _LONGEST_NAME)
            case "scope":
                scope = read_member_action(view.message.data).scope or ""
                return _SCOPES.get(scope, scope)
        raise KeyError(placeholder)

    def _message_body(self, templates: TemplateSet) -> str:
        return message_body(templates, self._happening.message, self._context)

    def _mention_template(self, templates: TemplateSet, variant: Variant) -> MentionTemplate | None:
        if variant is Variant.MENTIONED:
            return templates.user_mention
        is_for_all = self._happening.view.mentions_all and self._happening.is_group
        return templates.group_mention if is_for_all else None

    def _mention_body(self, template: MentionTemplate) -> str | None:
        if isinstance(template, GroupMentionTemplate):
            body = template.body
        else:
            is_group = self._happening.is_group
            body = template.body_group if is_group else template.body_one_on_one
        return first_text([body, template.body_fallback], self._context)

    def _title(self, template: MessageTemplate | MentionTemplate) -> str:
        """Return the title; if its template gives no text, it is the name of who did it."""
        if self._happening.is_group or isinstance(template, GroupMentionTemplate):
            text = template.title_group
        else:
            text = template.title_one_on_one
        title = one_line(render_with_gaps(text, self._context))
        return cut(title or one_line(self._happening.by.name), LONGEST_TITLE)


def message_template(templates: TemplateSet, message: Message) -> MessageTemplate:
    """Return the template of a message's category and type."""
    if message.category == CUSTOM:
        name = _CUSTOM.get(message.type, "custom_message")
    elif message.category == INTERACTIVE:
        name = _INTERACTIVE.get(message.type, "interactive_custom")
    else:
        name = "media_message" if message.type in MEDIA_TYPES else "text_message"
    found: MessageTemplate = getattr(templates, name)
    return found


def message_body(templates: TemplateSet, message: Message, context: Context) -> str:
    """Return the body of a message by the template of its category and type."""
    template = message_template(templates, message)
    if isinstance(template, MediaTemplate):
        bodies = [getattr(template, f"body_{message.type}")]
    elif isinstance(template, FallbackTemplate):
        bodies = [template.body, template.body_fallback]
        if (message.category, message.type) == (INTERACTIVE, POLL):
            bodies.insert(1, template.body.replace(OF_OTHER_POLLS, OF_POLLS))
    else:
        bodies = [template.body]
    return first_text(bodies, context) or NEW_MESSAGE


def first_text(bodies: list[str], context: Context) -> str | None:
    """Return the first body whose placeholders all have values, if it has any text."""
    rendered = (render(body, context) for body in bodies)
    return next((body for body in rendered if body is not None and body.strip()), None)
