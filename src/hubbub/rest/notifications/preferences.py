"""`/notifications/v1/preferences`: read the request, call the domain, write the answer.

Users reach their own preferences only.
"""

from hubbub.domain.access.people import NotOwnUser
from hubbub.domain.notifications.settings import mutes, preferences
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.notifications.model import TooManyMutes
from hubbub.records.notifications.preferences import Choices
from hubbub.records.users.model import UidNotFound
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.notifications.wire import preferences as wire
from hubbub.rest.notifications.wire.preferences import UserQuery, mutes_shape, preferences_shape
from hubbub.rest.wire.shapes import Success

PATH = "/notifications/v1/preferences"
MUTE = PATH + "/mute"
TIMEZONE = PATH + "/timezone"


@operation.get(PATH, tag=TAG, acting=Acting.OPTIONAL, errors=(UidNotFound, NotOwnUser))
async def get_notification_preferences(call: Call, query: UserQuery) -> wire.PreferencesShape:
    """Get the notification preferences of a user: the app's defaults, and what the user chose.

    It is what is in effect. What the app does not let users override has the app's values,
    whatever the user chose.
    """
    uid = query.uid_for(call.actor)
    return preferences_shape(
        await preferences.get_preferences(call.runtime, call.app_id, call.actor, uid)
    )


@operation.patch(PATH, tag=TAG, acting=Acting.OPTIONAL, errors=(UidNotFound, NotOwnUser))
async def update_notification_preferences(
    call: Call, query: UserQuery, body: wire.PreferencesShape
) -> wire.PreferencesShape:
    """Change the notification preferences of a user; fields that are absent keep their values.

    What the app does not let its users override is ignored. The answer has what is in effect.
    """
    uid = query.uid_for(call.actor)
    choices = wire.read_choices(body)
    return preferences_shape(
        await preferences.change_preferences(call.runtime, call.app_id, call.actor, uid, choices)
    )


@operation.delete(PATH, tag=TAG, acting=Acting.OPTIONAL, errors=(UidNotFound, NotOwnUser))
async def reset_notification_preferences(call: Call, query: UserQuery) -> wire.PreferencesShape:
    """Reset the notification preferences of a user to the app's defaults.

    Muted conversations and the time zone stay.
    """
    uid = query.uid_for(call.actor)
    return preferences_shape(
        await preferences.reset_preferences(call.runtime, call.app_id, call.actor, uid)
    )


@operation.get(MUTE, tag=TAG, acting=Acting.OPTIONAL, errors=(UidNotFound, NotOwnUser))
async def list_muted_conversations(call: Call, query: UserQuery) -> wire.MuteList:
    """List the muted conversations of a user, without those whose time is over.

    `until` is in milliseconds since 1970. `bypassPreferencesForMentions` of the app's settings
    says whether mentions come through.
    """
    uid = query.uid_for(call.actor)
    return mutes_shape(await mutes.list_mutes(call.runtime, call.app_id, call.actor, uid))


@operation.put(
    MUTE,
    tag=TAG,
    acting=Acting.OPTIONAL,
    errors=(UidNotFound, NotOwnUser, GuidNotFound, TooManyMutes),
)
async def mute_conversations(call: Call, query: UserQuery, body: wire.MuteConversations) -> Success:
    """Mute conversations of a user until a time: at most 100 at once, 5,000 in all.

    A time that was set before is replaced. What the app does not let its users mute is ignored.
    """
    uid = query.uid_for(call.actor)
    await mutes.mute_conversations(call.runtime, call.app_id, call.actor, uid, body.mutes())
    return Success(success=True)


@operation.delete(MUTE, tag=TAG, acting=Acting.OPTIONAL, errors=(UidNotFound, NotOwnUser))
async def unmute_conversations(
    call: Call, query: UserQuery, body: wire.UnmuteConversations
) -> Success:
    """Unmute conversations of a user; those that are not muted are ignored.

    The answer lists those that are still muted.
    """
    uid = query.uid_for(call.actor)
    await mutes.unmute_conversations(call.runtime, call.app_id, call.actor, uid, body.mutes())
    return Success(success=True)


@operation.get(TIMEZONE, tag=TAG, acting=Acting.OPTIONAL, errors=(UidNotFound, NotOwnUser))
async def get_timezone(call: Call, query: UserQuery) -> wire.TimeZoneShape:
    """Get the time zone of a user, UTC if none was set.

    Their schedule, and the day of daily limits, go by it.
    """
    uid = query.uid_for(call.actor)
    found = await preferences.get_preferences(call.runtime, call.app_id, call.actor, uid)
    return wire.TimeZoneShape(timezone=found.timezone)


@operation.patch(TIMEZONE, tag=TAG, acting=Acting.OPTIONAL, errors=(UidNotFound, NotOwnUser))
async def update_timezone(
    call: Call, query: UserQuery, body: wire.TimeZoneShape
) -> wire.TimeZoneShape:
    """Set the time zone of a user, in which schedules and daily limits are meant.

    It is a name of the IANA database, such as `Europe/Berlin`. Registering a push token with
    `timezone` sets it, too.
    """
    uid = query.uid_for(call.actor)
    choices = Choices(timezone=body.timezone)
    found = await preferences.change_preferences(
        call.runtime, call.app_id, call.actor, uid, choices
    )
    return wire.TimeZoneShape(timezone=found.timezone)
