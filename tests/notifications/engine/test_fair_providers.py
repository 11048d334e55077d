"""A provider, or a call, that is slow holds up no other."""

import asyncio
from dataclasses import replace

from tests.certificate import Certificate
from tests.gateways.custom import CustomGateway
from tests.gateways.faults import SILENCE
from tests.notifications.engine.office import Office
from tests.soon import until
from tests.world import Node

from hubbub.domain.notifications.planning.plan import notification_consumer
from hubbub.domain.notifications.sending.send import notification_runs
from hubbub.outbound.calls import Calls

OF_APP, OF_ALL = 4, 6
MEMBERS = 20


async def test_a_provider_that_never_answers(office: Office, certificate: Certificate) -> None:
    """While one app's pushes wait for its silent server, those of another app go out at once."""
    office.runtime.settings = replace(office.runtime.settings, webhook_timeout=60.0)
    office.runtime.outbound.calls = Calls(OF_ALL, most_of_app=OF_APP)
    silent, working = office.gateways.custom, CustomGateway()
    silent.faults.answer_always(SILENCE)
    await working.start(certificate)
    node = Node(office.runtime, office.clock, office.sender, {})
    quiet = replace(office, world=await node.world())
    await quiet.world.users("anna", "ben")
    await office.add_custom("push")
    await quiet.add_custom("push", webhookURL=f"{working.url}/push")
    await office.crowd("team", "anna", *(f"member-{number}" for number in range(MEMBERS)))
    await office.say("Hello", "#team")
    await notification_consumer(office.runtime).consume_all()
    runs = notification_runs(office.runtime)
    await runs.start_due()
    await until(lambda: silent.calls == OF_APP)
    await quiet.say("Hello")
    await notification_consumer(office.runtime).consume_all()
    sending = asyncio.create_task(runs.start_due())
    await until(lambda: len(working.received) == 1, 10)

    assert silent.calls == OF_APP, "the others of the app wait for their turn"
    await sending
    silent.faults.answer_always("")
    await silent.stop()
    await runs.wait()
    await working.stop()


async def test_a_call_that_is_not_answered(office: Office) -> None:
    """While one call hangs, what becomes due for the same provider goes out."""
    office.runtime.settings = replace(office.runtime.settings, webhook_timeout=60.0)
    office.width_beside = 2
    await office.add_custom("push")
    office.gateways.custom.faults.answer_next(SILENCE)
    await office.say("One")
    working = asyncio.create_task(office.work())
    await until(lambda: office.gateways.custom.calls == 1)
    await office.say("Two", "cora")
    await notification_consumer(office.runtime).consume_all()
    await until(lambda: len(office.gateways.custom.received) == 1)

    assert not working.done(), "the first call is still under way"
    await office.gateways.custom.stop()
    await working
