"""Field types of the providers that an app has at most one of, and what they have in common."""

from typing import Annotated

import structlog
from msgspec import Meta

from hubbub.http.call import Call
from hubbub.kernel.text import REDACTED
from hubbub.rest.wire.shapes import Shape

log = structlog.get_logger()

KEY_SHOWN = 12
"""How much of the keyed hash of an API key tells it from others in the log."""

IsEnabled = Annotated[bool, Meta(description="Whether anything is sent with it.")]
Email = Annotated[str, Meta(min_length=1, max_length=254, description="An e-mail address.")]
Secret = Annotated[
    str,
    Meta(min_length=1, max_length=255, pattern=r"^(?:[!-~]+|•••)$(?!\n)"),
]
"""An API key or a token, or the mark that keeps the stored one."""
SenderName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=100,
        pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]+$(?!\n)",
        description="The name of the sender; no control characters.",
    ),
]


class ShowsSecrets(Shape):
    """Whether the answer has the secrets."""

    with_secrets: Annotated[
        bool,
        Meta(
            description=(
                "Secrets are in the answer as they are, not as the mark `•••`. The server's log"
                " notes who asked."
            )
        ),
    ] = False


def note_asking(call: Call, query: ShowsSecrets) -> ShowsSecrets:
    """Log that secrets are asked for, and with which key; return the query."""
    if query.with_secrets:
        request = call.request
        log.info(
            "secrets_shown",
            app=call.app_id,
            key=call.credential[:KEY_SHOWN],
            request_id=request.id if request else None,
            operation=request.operation.name if request and request.operation else None,
        )
    return query


def shown(secret: str | None, query: ShowsSecrets) -> str | None:
    """Return a secret as the answer to a query has it: an empty one is none."""
    return secret if query.with_secrets or not secret else REDACTED
