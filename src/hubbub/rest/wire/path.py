"""The parameters of paths: each type gives the name, the meaning, a parser and an example."""

import re
from typing import Annotated

from hubbub.http.operation import PathParameter
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import normalise_id
from hubbub.records.devices.model import LONGEST_TOKEN
from hubbub.records.idempotency.model import GROUP, MESSAGE, USER
from hubbub.records.members.model import SCOPES

LARGEST_MESSAGE_ID = 2**63 - 1
LONGEST_TEXT = 255
LONGEST_REACTION = 100
_PUSH_TOKEN = re.compile(f"[!-~]{{1,{LONGEST_TOKEN}}}")
_NOT_TEXT = re.compile("[\0\ufffd\ud800-\udfff]")


def parse_message_id(text: str, name: str = "id") -> int:
    """Return the message id in `text`, which is decimal digits.

    Raises:
        BadInput: it has other characters, or is too large.
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_MESSAGE_ID))
    if not is_number or not 0 < int(text) <= LARGEST_MESSAGE_ID:
        raise BadInput.field(name, f"The {name} must be a message id: a positive whole number.")
    return int(text)


def _keep_text(text: str, name: str) -> str:
    """Return `text` as it is, if an id can be that text at all."""
    if "\0" in text or "\ufffd" in text or len(text) > LONGEST_TEXT:
        raise BadInput.field(
            name, f"The {name} must be UTF-8 of at most {LONGEST_TEXT} characters, without U+0000."
        )
    return text


def _keep_push_token(text: str, name: str) -> str:
    """Return a push token as it is, if a stored one can be that text at all."""
    if not _PUSH_TOKEN.fullmatch(text):
        raise BadInput.field(
            name, f"The {name} must be 1 to {LONGEST_TOKEN} visible characters of ASCII."
        )
    return text


def _parse_scope(text: str, name: str) -> str:
    if text not in SCOPES:
        raise BadInput.field(name, f"The {name} must be one of {', '.join(SCOPES)}.")
    return text


def _parse_reaction(text: str, name: str) -> str:
    """Return the reaction in `text`, in which U+FFFD stands for bytes that are not UTF-8."""
    if not 0 < len(text) <= LONGEST_REACTION or _NOT_TEXT.search(text):
        raise BadInput.field(
            name,
            f"The {name} must be 1 to {LONGEST_REACTION} characters of UTF-8, without U+0000.",
        )
    return text


API_KEY = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
TOKEN = "anna_1710000000d41d8cd98f00b204e9800998ecf8"  # noqa: S105  # an example
THUMBS_UP = "%F0%9F%91%8D"
SCOPE_NAMES = "`admin`, `moderator` or `participant`."
REACTION = "An emoji, or any text of 1 to 100 characters."

ApiKey = Annotated[str, PathParameter("apiKey", "An API key.", _keep_text, API_KEY)]
AppId = Annotated[str, PathParameter("appId", "The id of an app.", _keep_text, "demo")]
AuthToken = Annotated[
    str, PathParameter("authToken", "An auth token of the user.", _keep_text, TOKEN)
]
ConversationId = Annotated[
    str,
    PathParameter("conversationId", "The id of a conversation.", _keep_text, "anna_user_ben"),
]
Guid = Annotated[str, PathParameter("guid", "The id of a group.", normalise_id, "hikers", GROUP)]
ExportId = Annotated[
    str,
    PathParameter(
        "exportId", "The id of an export.", _keep_text, "0123456789abcdef0123456789abcdef"
    ),
]
ImportId = Annotated[
    str, PathParameter("importId", "The id of an import.", _keep_text, "0123456789abcdef")
]
MessageId = Annotated[
    int,
    PathParameter(
        "id", "The id of a message.", parse_message_id, "42", MESSAGE, {"pattern": "^[0-9]+$"}
    ),
]
Permission = Annotated[
    str, PathParameter("permission", "The id of a permission.", _keep_text, "sendMessage")
]
ProviderId = Annotated[
    str, PathParameter("providerId", "The id of a provider.", _keep_text, "my-push")
]
PushToken = Annotated[
    str, PathParameter("pushToken", "A push token, as lists show it.", _keep_push_token, "f9aHc1Q")
]
Reaction = Annotated[str, PathParameter("reaction", REACTION, _parse_reaction, THUMBS_UP)]
ReasonId = Annotated[
    str, PathParameter("id", "The id of a reason to flag messages.", normalise_id, "spam")
]
RuleId = Annotated[str, PathParameter("ruleId", "The id of a rule.", _keep_text, "no-advertising")]
KeywordId = Annotated[
    str, PathParameter("keywordId", "The id of a list of keywords.", _keep_text, "advertising")
]
Role = Annotated[str, PathParameter("role", "The id of a role.", normalise_id, "default")]
Scope = Annotated[
    str,
    PathParameter("scope", SCOPE_NAMES, _parse_scope, "moderator", schema={"enum": list(SCOPES)}),
]
SessionId = Annotated[
    str,
    PathParameter(
        "sessionId",
        "The id of a session, as lists show it.",
        _keep_text,
        "0123456789abcdef0123456789abcdef",
    ),
]
ScheduledId = Annotated[
    str,
    PathParameter(
        "id",
        "The id of a scheduled message.",
        _keep_text,
        "0123456789abcdef0123456789abcdef",
    ),
]
WebhookId = Annotated[
    str, PathParameter("webhookId", "The id of a webhook.", _keep_text, "my-server")
]
DeliveryId = Annotated[
    str,
    PathParameter("deliveryId", "The id of a delivery.", _keep_text, "1710000000-42"),
]
Uid = Annotated[str, PathParameter("uid", "The id of a user.", normalise_id, "anna", USER)]
