"""`…/providers/twilio`: the account of an app at Twilio."""

from hubbub.records.notifications.setups import TwilioSetup
from hubbub.rest.notifications.channels import Channel, declare, saving

declare(
    Channel(
        setup=TwilioSetup,
        path="/notifications/sms/v1/providers/twilio",
        name="twilio",
        shape="Twilio",
        shown_about="The provider Twilio; empty if the app has none.",
        saved_about="The provider Twilio.",
        changed_about="The changes to the provider Twilio.",
        called="Twilio",
        get_text="The token is shown as `•••` unless `withSecrets` is true.",
        save_text=saving("the other provider of SMS is"),
        delete_text="No SMS is sent with it any more. Other providers of SMS stay as they are.",
    )
)
