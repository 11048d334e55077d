"""`…/providers/sendgrid`: the account of an app at SendGrid, and the URL for replies."""

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import quote

from msgspec import Meta

from hubbub.domain.notifications.replies.read import PATH
from hubbub.http.call import Call
from hubbub.records.notifications.setups import SendGridSetup
from hubbub.rest.notifications.channels import Channel, declare, saving
from hubbub.rest.wire.derived import Fields

RepliesWebhook = Annotated[
    str | None,
    Meta(description="The URL for SendGrid's Inbound Parse. Who knows it can send replies."),
]
REPLIES_WEBHOOK: Fields = [("replies_webhook", RepliesWebhook, None)]


def _make_url(setup: SendGridSetup, call: Call) -> Mapping[str, str]:
    token = quote(setup.replies_token or "")
    return {"replies_webhook": f"{call.address}{PATH}?token={token}"}


declare(
    Channel(
        setup=SendGridSetup,
        path="/notifications/email/v1/providers/sendgrid",
        name="sendgrid",
        shape="SendGrid",
        shown_about="The provider SendGrid; empty if the app has none.",
        saved_about="The provider SendGrid.",
        changed_about="The changes to the provider SendGrid; null removes `senderEmailForReplies`.",
        called="SendGrid",
        get_text="The key is shown as `•••` unless `withSecrets` is true. `repliesWebhook` is the"
        " URL for\nSendGrid's Inbound Parse.",
        save_text=saving("the other providers of e-mail are")
        + "\n\n`repliesWebhook` is the URL for SendGrid's Inbound Parse.",
        delete_text="No mail is sent with it any more, and answers to earlier mails are ignored.",
        made_fields=REPLIES_WEBHOOK,
        make=_make_url,
    )
)
