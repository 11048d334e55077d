"""Every field of a webhook: the record declares it, and columns, bodies and answers follow."""

import pytest
from tests.world import Json, World

from hubbub.kernel.fields import FieldMark, fields_of
from hubbub.records.webhooks.model import Webhook
from hubbub.records.webhooks.store import SQL
from hubbub.rest.webhooks.wire.webhooks import CreateWebhook, UpdateWebhook, WebhookShape

FIELDS = fields_of(Webhook)
GIVEN = {field.wire_name for field in FIELDS if field.is_given}
MARK = "•••"
OLD: Json = {
    "id": "orders",
    "name": "Orders",
    "webhookURL": "https://example.com/orders",
    "useBasicAuth": True,
    "username": "chat",
    "password": "Xyzzy-8f14e45f",
    "enabled": False,
    "retryOnFailure": True,
}
NEW: Json = {
    "name": "Invoices",
    "webhookURL": "https://example.com/invoices",
    "useBasicAuth": False,
    "username": "other",
    "password": "Plugh-5e0a",
    "enabled": True,
    "retryOnFailure": False,
}


def test_columns_bodies_and_answers_have_every_field() -> None:
    """The statements have all fields, the bodies those that clients write, answers no internal."""
    shown = {field.wire_name for field in FIELDS if FieldMark.INTERNAL not in field.marks}
    changing = {field.name for field in FIELDS if FieldMark.FIXED not in field.marks}

    assert {field.name for field in FIELDS} == {*SQL.insert_webhook.columns}
    assert {*SQL.update_webhook.columns} == {*changing, "number"}
    assert {*CreateWebhook.__struct_encode_fields__} == GIVEN
    assert {*UpdateWebhook.__struct_encode_fields__} == GIVEN - {"id"}
    assert {*WebhookShape.__struct_encode_fields__} == shown


def test_the_samples_name_every_field() -> None:
    """A new field needs a value in both samples, or nothing below tests it."""
    assert {*OLD} == GIVEN
    assert {*NEW} == GIVEN - {"id"}
    assert not [name for name in NEW if OLD[name] == NEW[name]]


async def test_a_webhook_has_every_field(world: World) -> None:
    """A created webhook has all fields of the request; its password is masked."""
    created = await world.post("/webhooks", OLD)

    for shown in (created, await world.get("/webhooks/orders")):
        assert {name: shown[name] for name in OLD} == {**OLD, "password": MARK}


@pytest.mark.parametrize("name", sorted(NEW))
async def test_an_update_of_one_field_keeps_the_others(world: World, name: str) -> None:
    """A field that is given alone changes; the others stay."""
    await world.post("/webhooks", OLD)
    await world.put("/webhooks/orders", {name: NEW[name]})

    shown = await world.get("/webhooks/orders")
    assert {each: shown[each] for each in OLD} == {**OLD, name: NEW[name], "password": MARK}
