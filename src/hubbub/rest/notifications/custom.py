"""`…/providers/custom`: the servers of an app that are called for each person."""

from hubbub.records.notifications.setups import CustomEmailSetup, CustomPushSetup, CustomSmsSetup
from hubbub.rest.notifications.channels import Channel, declare, saving

declare(
    Channel(
        setup=CustomPushSetup,
        path="/notifications/push/v1/providers/custom",
        name="custom_push",
        shape="Custom",
        shown_about="A custom provider; empty if the app has none for the channel.",
        saved_about="A custom provider; without Basic auth the credentials may be empty.",
        changed_about="The changes to a custom provider.",
        called="the custom push provider",
        get_text="It is a URL of your own, called for each person who gets a push. The password"
        " is shown as\n`•••` unless `withSecrets` is true.",
        save_text="It is called for each recipient, beside the other push providers. A password"
        " that is sent as\nanswers show it, redacted, keeps its value.",
        delete_text="The URL is not called any more. Other providers of pushes stay as they are.",
    )
)
declare(
    Channel(
        setup=CustomEmailSetup,
        path="/notifications/email/v1/providers/custom",
        name="custom_email",
        shape="CustomEmail",
        shown_about="The custom provider of e-mail; empty if the app has none.",
        saved_about="The custom provider of e-mail; without Basic auth the credentials may be"
        " empty.",
        changed_about="The changes to the custom provider of e-mail.",
        called="the custom provider of e-mail",
        get_text="It is a URL of your own, called for each mail. The password is shown as `•••`"
        " unless\n`withSecrets` is true.",
        save_text=saving("the other providers of e-mail are"),
        delete_text="The URL is not called any more. Other providers of mails stay as they are.",
    )
)
declare(
    Channel(
        setup=CustomSmsSetup,
        path="/notifications/sms/v1/providers/custom",
        name="custom_sms",
        shape="CustomSms",
        shown_about="The custom provider of SMS; empty if the app has none.",
        saved_about="The custom provider of SMS; without Basic auth the credentials may be empty.",
        changed_about="The changes to the custom provider of SMS.",
        called="the custom provider of SMS",
        get_text="It is a URL of your own, called for each SMS. The password is shown as `•••`"
        " unless\n`withSecrets` is true.",
        save_text=saving("the other provider of SMS is"),
        delete_text="The URL is not called any more. Other providers of SMS stay as they are.",
    )
)
