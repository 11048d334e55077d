"""`/notifications/v1/settings`: read the request, call the domain, write the answer."""

from hubbub.domain.notifications.settings import app_settings
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.notifications.wire.settings import NotificationSettingsShape
from hubbub.rest.notifications.wire.settings_fields import read_settings, settings_shape
from hubbub.rest.wire.shapes import Success

PATH = "/notifications/v1/settings"


@operation.get(PATH, tag=TAG)
async def get_notification_settings(call: Call) -> NotificationSettingsShape:
    """Get the notification settings of the app.

    They are the defaults of its users, whether users may override them, and what is sent.
    """
    return settings_shape(await app_settings.get_settings(call.runtime, call.app_id))


@operation.patch(PATH, tag=TAG)
async def update_notification_settings(call: Call, body: NotificationSettingsShape) -> Success:
    """Change notification settings of the app; fields that are absent keep their values.

    What users chose is in effect where the app lets them override its setting.
    """
    await app_settings.change_settings(call.runtime, call.app_id, read_settings(body))
    return Success(success=True)


@operation.delete(PATH, tag=TAG)
async def reset_notification_settings(call: Call) -> Success:
    """Reset all notification settings of the app to their defaults.

    These are preferences, sounds and templates. Providers, and what users chose, stay as they
    are.
    """
    await app_settings.reset_settings(call.runtime, call.app_id)
    return Success(success=True)
