"""The templates of notifications: texts with placeholders such as `{{message.data.text}}`.

A body whose placeholders lack a value is replaced by its `body_fallback`.
"""

from enum import IntEnum

from msgspec import Struct

SENDER = "{{message.data.entities.sender.entity.name}}"
GROUP = "{{message.data.entities.receiver.entity.name}}"
TEXT = "{{message.data.text}}"
TITLE_GROUP = f"{SENDER} @ {GROUP}"
NEW_MESSAGE = "New message"
COUNT = "{{messages.length}}"


class TemplateChoice(IntEnum):
    """The templates that an app uses."""

    DEFAULT = 1
    PRIVACY = 2
    BY_USER = 3
    """The default ones, except for users who have chosen the privacy ones."""


class TextTemplate(Struct, frozen=True):
    """The template of text messages."""

    title_one_on_one: str = SENDER
    title_group: str = TITLE_GROUP
    body: str = TEXT


class MediaTemplate(Struct, frozen=True):
    """The template of messages with files, with a body for each type."""

    title_one_on_one: str = SENDER
    title_group: str = TITLE_GROUP
    body_image: str = "📷 Has sent an image"
    body_audio: str = "🎵 Has sent an audio"
    body_video: str = "🎥 Has sent a video"
    body_file: str = "📄 Has sent a file"


class FallbackTemplate(Struct, frozen=True):
    """A template with another body for messages without the values that the first one shows."""

    title_one_on_one: str = SENDER
    title_group: str = TITLE_GROUP
    body: str = TEXT
    body_fallback: str = NEW_MESSAGE


class UserMentionTemplate(Struct, frozen=True):
    """The template of messages for users whom they mention."""

    title_one_on_one: str = SENDER
    title_group: str = TITLE_GROUP
    body_one_on_one: str = f"Has mentioned you: {TEXT}"
    body_group: str = f"Has mentioned you: {TEXT}"
    body_fallback: str = "Has mentioned you"


class GroupMentionTemplate(Struct, frozen=True):
    """The template of messages that mention all members of a group."""

    title_group: str = TITLE_GROUP
    body: str = f"Has mentioned everyone: {TEXT}"
    body_fallback: str = "Has mentioned everyone"


class EmailSubject(Struct, frozen=True):
    """The template of the subjects of e-mails."""

    subject_one_on_one: str = f"New messages from {{{{senderDetails.name}}}} ({COUNT})"
    subject_group: str = f"New messages in {{{{groupDetails.name}}}} ({COUNT})"


class SmsContent(Struct, frozen=True):
    """The template of short messages."""

    body_one_on_one: str = f"New messages from {{{{senderDetails.name}}}} ({COUNT})"
    body_group: str = f"New messages in {{{{groupDetails.name}}}} ({COUNT})"


class TemplateSet(Struct, frozen=True):
    """A template of each kind.

    `poll_message` is for custom messages of the type `extension_poll`, `reminder_message` for those
    of the type `extension_reminders`.
    """

    text_message: TextTemplate = TextTemplate()
    media_message: MediaTemplate = MediaTemplate()
    poll_message: FallbackTemplate = FallbackTemplate(
        body="📊 Has created a poll: {{message.data.customData.question}}",
        body_fallback="📊 Has created a poll",
    )
    reminder_message: FallbackTemplate = FallbackTemplate(
        body="⏰ Reminder: {{message.data.text}}", body_fallback="⏰ Reminder"
    )
    custom_message: FallbackTemplate = FallbackTemplate()
    interactive_form: FallbackTemplate = FallbackTemplate(
        body="📝 Has sent a form: {{message.data.interactiveData.title}}",
        body_fallback="📝 Has sent a form",
    )
    interactive_card: FallbackTemplate = FallbackTemplate(
        body="🃏 Has sent a card: {{message.data.interactiveData.text}}",
        body_fallback="🃏 Has sent a card",
    )
    interactive_scheduler: FallbackTemplate = FallbackTemplate(
        body="📅 Has sent a meeting request: {{message.data.interactiveData.title}}",
        body_fallback="📅 Has sent a meeting request",
    )
    interactive_custom: FallbackTemplate = FallbackTemplate()
    user_mention: UserMentionTemplate = UserMentionTemplate()
    group_mention: GroupMentionTemplate = GroupMentionTemplate()
    email_subject: EmailSubject = EmailSubject()
    sms_content: SmsContent = SmsContent()


_PRIVATE = FallbackTemplate(body=NEW_MESSAGE)
_PRIVACY = TemplateSet(
    text_message=TextTemplate(body=NEW_MESSAGE),
    media_message=MediaTemplate(
        body_image=NEW_MESSAGE,
        body_audio=NEW_MESSAGE,
        body_video=NEW_MESSAGE,
        body_file=NEW_MESSAGE,
    ),
    poll_message=_PRIVATE,
    reminder_message=_PRIVATE,
    custom_message=_PRIVATE,
    interactive_form=_PRIVATE,
    interactive_card=_PRIVATE,
    interactive_scheduler=_PRIVATE,
    interactive_custom=_PRIVATE,
    user_mention=UserMentionTemplate(
        body_one_on_one="Has mentioned you", body_group="Has mentioned you"
    ),
    group_mention=GroupMentionTemplate(body="Has mentioned everyone"),
    email_subject=EmailSubject(
        subject_one_on_one="You have new messages", subject_group="You have new messages"
    ),
    sms_content=SmsContent(
        body_one_on_one="You have new messages", body_group="You have new messages"
    ),
)


class Templates(Struct, frozen=True):
    """The templates of an app: those with content, and those for privacy, without it."""

    use_privacy_template: TemplateChoice = TemplateChoice.BY_USER
    default: TemplateSet = TemplateSet()
    privacy: TemplateSet = _PRIVACY

    def choose(self, *, is_private: bool) -> TemplateSet:
        """Return the templates for a person, by `Preferences.uses_privacy_template`."""
        return self.privacy if is_private else self.default
