"""The shapes of templates; fields that are absent keep their values."""

from typing import Annotated, Any, get_args

import msgspec
from msgspec import Meta

from hubbub.records.notifications.app_settings import Document
from hubbub.records.notifications.templates import Templates
from hubbub.rest.notifications.wire.codes import TemplateCode
from hubbub.rest.wire.shapes import Shape

TemplateText = Annotated[
    str,
    Meta(max_length=1000, description="Text with placeholders such as {{message.data.text}}."),
]
Text = TemplateText | None
_SPELLINGS = {
    f"{part}_{place}": f"{part}{name}"
    for part in ("title", "body", "subject")
    for place, name in (("one_on_one", "OneOnOne"), ("group", "Group"))
}
"""The interface writes the other names, such as `body_fallback`, with an underscore."""


class TemplateShape(Shape, rename=_SPELLINGS):
    """The base of the shapes of single templates."""


class TextTemplateShape(TemplateShape):
    """The template of text messages."""

    title_one_on_one: Text = None
    title_group: Text = None
    body: Text = None


class MediaTemplateShape(TemplateShape):
    """The template of messages with files, with a body for each type."""

    title_one_on_one: Text = None
    title_group: Text = None
    body_image: Text = None
    body_audio: Text = None
    body_video: Text = None
    body_file: Text = None


class FallbackTemplateShape(TemplateShape):
    """A template with another body for messages without the values that the first one shows."""

    title_one_on_one: Text = None
    title_group: Text = None
    body: Text = None
    body_fallback: Text = None


class UserMentionTemplateShape(TemplateShape):
    """The template of messages for users whom they mention."""

    title_one_on_one: Text = None
    title_group: Text = None
    body_one_on_one: Text = None
    body_group: Text = None
    body_fallback: Text = None


class GroupMentionTemplateShape(TemplateShape):
    """The template of messages that mention all members of a group."""

    title_group: Text = None
    body: Text = None
    body_fallback: Text = None


class EmailSubjectShape(TemplateShape):
    """The template of the subjects of e-mails."""

    subject_one_on_one: Text = None
    subject_group: Text = None


class SmsContentShape(TemplateShape):
    """The template of short messages."""

    body_one_on_one: Text = None
    body_group: Text = None


class TemplatesShape(Shape):
    """The templates of an app: of each kind the default one, and one that tells no content."""

    use_privacy_template: TemplateCode | None = None
    text_message_template_default: TextTemplateShape | None = None
    text_message_template_privacy: TextTemplateShape | None = None
    media_message_template_default: MediaTemplateShape | None = None
    media_message_template_privacy: MediaTemplateShape | None = None
    poll_message_template_default: FallbackTemplateShape | None = None
    poll_message_template_privacy: FallbackTemplateShape | None = None
    reminder_message_template_default: FallbackTemplateShape | None = None
    reminder_message_template_privacy: FallbackTemplateShape | None = None
    custom_message_template_default: FallbackTemplateShape | None = None
    custom_message_template_privacy: FallbackTemplateShape | None = None
    interactive_form_template_default: FallbackTemplateShape | None = None
    interactive_form_template_privacy: FallbackTemplateShape | None = None
    interactive_card_template_default: FallbackTemplateShape | None = None
    interactive_card_template_privacy: FallbackTemplateShape | None = None
    interactive_scheduler_template_default: FallbackTemplateShape | None = None
    interactive_scheduler_template_privacy: FallbackTemplateShape | None = None
    interactive_custom_template_default: FallbackTemplateShape | None = None
    interactive_custom_template_privacy: FallbackTemplateShape | None = None
    user_mention_template_default: UserMentionTemplateShape | None = None
    user_mention_template_privacy: UserMentionTemplateShape | None = None
    group_mention_template_default: GroupMentionTemplateShape | None = None
    group_mention_template_privacy: GroupMentionTemplateShape | None = None
    email_subject_template_default: EmailSubjectShape | None = None
    email_subject_template_privacy: EmailSubjectShape | None = None
    sms_content_template_default: SmsContentShape | None = None
    sms_content_template_privacy: SmsContentShape | None = None


def read_templates(shape: TemplatesShape) -> Document:
    """Return the given templates as a document of settings."""
    document: Document = {}
    for name, value in given_fields(shape).items():
        kind, is_template, variant = name.rpartition("_template_")
        if is_template:
            document.setdefault(variant, {})[kind] = given_fields(value)
        else:
            document[name] = value
    return document


def given_fields(shape: msgspec.Struct) -> Document:
    """Return the fields of a shape that are not None, by the names that Python has for them."""
    fields = msgspec.structs.asdict(shape)
    return {name: value for name, value in fields.items() if value is not None}


def templates_shape(templates: Templates) -> TemplatesShape:
    """Return the templates of an app on the wire."""
    fields: dict[str, Any] = {"use_privacy_template": int(templates.use_privacy_template)}
    for field in msgspec.structs.fields(TemplatesShape):
        kind, is_template, variant = field.name.rpartition("_template_")
        if is_template:
            chosen = templates.choose(is_private=variant == "privacy")
            fields[field.name] = _template_shape(getattr(chosen, kind), field.type)
    return TemplatesShape(**fields)


def _template_shape(template: msgspec.Struct, optional: Any) -> TemplateShape:
    """Return a template as the shape that a field has, if it has one."""
    shape: type[TemplateShape] = get_args(optional)[0]
    return shape(**msgspec.structs.asdict(template))
