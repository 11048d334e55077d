"""The provider of one app that never answers leaves room for the calls of all other apps."""

import asyncio
from dataclasses import replace

import pytest
from tests.certificate import Certificate
from tests.gateways.custom import CustomGateway
from tests.gateways.faults import SILENCE
from tests.notices.engine.office import Office
from tests.soon import until
from tests.world import Node

from hubbub.domain.notices.planning.plan import notice_consumer
from hubbub.domain.notices.sending.deliver import Notifier

OF_APP, OF_ALL = 4, 6
MEMBERS = 20


@pytest.fixture(autouse=True)
def _low_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hubbub.outbound.calls.MOST_OF_APP", OF_APP)
    monkeypatch.setattr("hubbub.outbound.calls.MOST_CALLS", OF_ALL)


async def test_a_provider_that_never_answers(office: Office, certificate: Certificate) -> None:
    """While one app's pushes wait for its silent server, those of another app go out at once."""
    office.runtime.settings = replace(office.runtime.settings, webhook_timeout=60.0)
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
    await notice_consumer(office.runtime).consume_all()
    notifier = Notifier(office.runtime)
    await notifier.start_due(office.runtime)
    await until(lambda: silent.calls == OF_APP)
    await quiet.say("Hello")
    await notice_consumer(office.runtime).consume_all()
    sending = asyncio.create_task(notifier.start_due(office.runtime))
    await until(lambda: len(working.received) == 1, 10)

    assert silent.calls == OF_APP, "the others of the app wait for their turn"
    await sending
    silent.faults.answer_always("")
    await silent.stop()
    await notifier.wait()
    await working.stop()
