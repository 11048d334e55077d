"""Get, change and delete the contact details of a user."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_actor
from hubbub.domain.notifications.providers.check_setups import normalise
from hubbub.kernel.fields import merge
from hubbub.outbox import lock_counters
from hubbub.records.notifications import store
from hubbub.records.notifications.model import ContactDetails
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


async def get_contact_details(runtime: Runtime, app_id: str, actor: Actor) -> ContactDetails:
    """Return the contact details of the acting user, empty if none are stored.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
    """

    async def within(snapshot: Snapshot) -> ContactDetails:
        person = await access_actor(snapshot, actor)
        return await store.find_contact_details(snapshot, person.user.uid)

    return await runtime.database.read(app_id, within, user=actor.uid)


async def update_contact_details(
    runtime: Runtime, app_id: str, actor: Actor, given: ContactDetails
) -> ContactDetails:
    """Change the given contact details of the acting user; the others stay.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        BadInput: the e-mail address or the phone number is not valid.
    """
    given = normalise(given, runtime.outbound)

    async def within(tx: Transaction) -> ContactDetails:
        await lock_counters(tx)  # one at a time: the details are read, merged and written
        user = (await access_actor(tx, actor)).user
        details = merge(await store.find_contact_details(tx, user.uid), given)
        await store.put_contact_details(tx, user.uid, details)
        return details

    return await runtime.database.write(app_id, within)


async def delete_contact_details(runtime: Runtime, app_id: str, actor: Actor) -> None:
    """Delete the contact details of the acting user, if there are any.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        user = (await access_actor(tx, actor)).user
        await store.delete_contact_details(tx, user.uid)

    await runtime.database.write(app_id, within)
