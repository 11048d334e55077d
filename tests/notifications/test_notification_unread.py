"""The content of e-mails and short messages about unread messages."""

from typing import Any

import pytest
from tests.notifications.talks import BEN, said, said_in_group, show, user

from hubbub.domain.notifications.happening import Happening
from hubbub.domain.notifications.rendering.digest import UnreadContent
from hubbub.domain.notifications.rendering.templates import LONGEST_TEXT
from hubbub.domain.notifications.rendering.wording import LONGEST_TITLE
from hubbub.records.notifications.templates import EmailSubject, SmsContent, Templates, TemplateSet

ANNA = {"uid": "anna", "name": "Anna", "avatar": "https://example.com/anna.png"}
HIKERS = {"guid": "hikers", "name": "Hikers", "icon": "https://example.com/hikers.png"}


def content(*sent: Happening, is_private: bool = False, **templates: Any) -> UnreadContent:
    """Return the content about messages, by templates that may differ from the usual ones."""
    found = Templates(default=TemplateSet(**templates)) if templates else Templates()
    return UnreadContent(found, sent, show, is_private=is_private)


def test_unread_messages_of_a_user() -> None:
    """Each message is there with its sender and its body by its template."""
    mentioning = said("Hi <@uid:ben>", mentions=[BEN])
    entries = [
        {"sender": ANNA, "message": "Hi @Ben"},
        {"sender": ANNA, "message": "📷 Has sent an image"},
    ]
    about = content(mentioning, said(type="image"))

    assert about.mail_data() == {
        "messages": entries,
        "senderDetails": ANNA,
        "subject": "New messages from Anna (2)",
    }
    assert about.sms_data() == {
        "messages": entries,
        "senderDetails": ANNA,
        "smsContent": "New messages from Anna (2)",
    }


def test_unread_messages_of_a_group() -> None:
    """In a group, the details are those of the group."""
    entries = [{"sender": ANNA, "message": "Hi"}]

    assert content(said_in_group("Hi")).mail_data() == {
        "messages": entries,
        "groupDetails": HIKERS,
        "subject": "New messages in Hikers (1)",
    }
    assert content(said_in_group("Hi")).sms_data()["smsContent"] == "New messages in Hikers (1)"


def test_sender_without_an_avatar() -> None:
    """A value that is not known is left out."""
    sent = said("Hi", sender=user("anna", avatar=None))

    assert content(sent).mail_data()["senderDetails"] == {"uid": "anna", "name": "Anna"}


def test_private_content() -> None:
    """By the privacy templates, nothing is said of the messages."""
    about = content(said_in_group("A secret"), is_private=True)

    assert about.mail_data()["subject"] == about.sms_data()["smsContent"] == "You have new messages"
    assert "A secret" not in str(about.mail_data())
    assert "A secret" not in str(about.sms_data())


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{messages.length}} from {{senderDetails.name}}", "2 from Anna"),
        ("{{messages.0.data.text}}, {{message.data.text}}", "One, Two"),
        ("News {{nothing}}", "News"),
        ("{{nothing}}", "New messages (2)"),
        ("", "New messages (2)"),
    ],
)
def test_templates_of_subject_and_content(template: str, text: str) -> None:
    """Templates show the number of messages and the newest one; they never give nothing."""
    about = content(
        said("One"),
        said("Two"),
        email_subject=EmailSubject(subject_one_on_one=template),
        sms_content=SmsContent(body_one_on_one=template),
    )

    assert about.mail_data()["subject"] == text
    assert about.sms_data()["smsContent"] == text


def test_subject_is_one_short_line() -> None:
    """Users can't forge headers of an e-mail by line breaks; subject and content are bounded."""
    template = "{{message.data.text}}"
    hostile = "Hi\r\nBcc: all@example.com\r\n\r\n<b>{{messages.length}}</b>"
    forged = content(said(hostile), email_subject=EmailSubject(subject_one_on_one=template))
    endless = content(
        said("x" * 65_536),
        email_subject=EmailSubject(subject_one_on_one=template),
        sms_content=SmsContent(body_one_on_one=template),
    )

    expected = "Hi Bcc: all@example.com <b>{{messages.length}}</b>"
    assert forged.mail_data()["subject"] == expected
    assert len(endless.mail_data()["subject"]) == LONGEST_TITLE
    assert len(endless.sms_data()["smsContent"]) == LONGEST_TEXT
