"""`…/providers/smtp`: a mail server."""

from hubbub.records.notifications.setups import SmtpSetup
from hubbub.rest.notifications.channels import Channel, declare, saving

declare(
    Channel(
        setup=SmtpSetup,
        path="/notifications/email/v1/providers/smtp",
        name="smtp",
        shape="Smtp",
        shown_about="The mail server; empty if the app has none.",
        saved_about="The mail server; without a username it is used without a password.",
        changed_about="The changes to the mail server.",
        called="the mail server",
        get_text="The password is shown as `•••` unless `withSecrets` is true.",
        save_text=saving("the other providers of e-mail are"),
        delete_text="No mail is sent with it any more. Other providers of e-mail stay as they are.",
        is_own=True,
    )
)
