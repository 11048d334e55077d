"""Make the senders of an app from its setups."""

from hubbub.providers.apns.send import Apns
from hubbub.providers.calls import ProviderCaller
from hubbub.providers.custom import CustomMail, CustomPush, CustomSms, CustomWebhook
from hubbub.providers.fcm.send import Fcm
from hubbub.providers.interface import MailProvider, PushProvider, SmsProvider
from hubbub.providers.mail.sendgrid import SendGrid
from hubbub.providers.mail.smtp import Smtp
from hubbub.providers.twilio import Twilio
from hubbub.providers.webpush import send as webpush
from hubbub.providers.webpush.vapid import Vapid
from hubbub.records.apps.model import App
from hubbub.records.notifications.setups import (
    ApnsSetup,
    CustomEmailSetup,
    CustomPushSetup,
    CustomSetup,
    CustomSmsSetup,
    EmailSetup,
    FcmSetup,
    PushSetup,
    SendGridSetup,
    SmsSetup,
    SmtpSetup,
    TwilioSetup,
    WebPushSetup,
)
from hubbub.runtime import Runtime


def open_push(runtime: Runtime, app: App, setup: PushSetup | CustomPushSetup) -> PushProvider:
    """Return what sends pushes for an app; to be kept, for it keeps tokens of its gateway."""
    settings = runtime.settings
    match setup:
        case FcmSetup():
            return Fcm(_open_caller(runtime), setup, settings.fcm_url, settings.google_token_url)
        case ApnsSetup():
            url = settings.apns_url if setup.production_mode else settings.apns_sandbox_url
            return Apns(_open_caller(runtime), setup, url)
        case WebPushSetup():
            caller = ProviderCaller(runtime.outbound, runtime.clock, webpush.TIMEOUT_SECONDS)
            return webpush.WebPush(caller, Vapid(setup, runtime.clock))
        case CustomPushSetup():
            return CustomPush(_open_webhook(runtime, app, setup))


def open_mail(runtime: Runtime, app: App, setup: EmailSetup) -> MailProvider:
    """Return what sends mail for an app."""
    match setup:
        case SendGridSetup():
            return SendGrid(_open_caller(runtime), runtime.settings.sendgrid_url, setup)
        case SmtpSetup():
            return Smtp(runtime.outbound, runtime.clock, setup)
        case CustomEmailSetup():
            webhook = _open_webhook(runtime, app, setup)
            return CustomMail(webhook, only_stored=bool(setup.uses_stored_address))


def open_sms(runtime: Runtime, app: App, setup: SmsSetup) -> SmsProvider:
    """Return what sends short messages for an app."""
    match setup:
        case TwilioSetup():
            return Twilio(_open_caller(runtime), runtime.settings.twilio_url, setup)
        case CustomSmsSetup():
            webhook = _open_webhook(runtime, app, setup)
            return CustomSms(webhook, only_stored=bool(setup.uses_stored_address))


def _open_caller(runtime: Runtime) -> ProviderCaller:
    return ProviderCaller(runtime.outbound, runtime.clock)


def _open_webhook(runtime: Runtime, app: App, setup: CustomSetup) -> CustomWebhook:
    caller = ProviderCaller(runtime.outbound, runtime.clock, runtime.settings.webhook_timeout)
    return CustomWebhook(caller, app.id, app.region, setup)
