"""The shapes of push providers; answers have a mark in the place of a secret."""

from typing import Annotated, Any

import msgspec
from msgspec import NODEFAULT, Meta, Struct

from hubbub.http.operation import Envelope
from hubbub.kernel.fields import mask
from hubbub.records.notifications.model import Provider
from hubbub.records.notifications.setups import (
    ApnsSetup,
    FcmSetup,
    PublicKey,
    PushSetup,
    WebPushSetup,
)
from hubbub.rest.wire.derived import (
    Fields,
    changed_fields,
    make_shape,
    saved_fields,
    show,
    shown_fields,
)
from hubbub.rest.wire.shapes import Json, Shape

ProviderId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=100,
        pattern=r"^(?!\.{1,2}$)[^/\x00-\x1f\x7f-\x9f\ufffd]+$(?!\n)",
        description="No control characters and no /; neither . nor ..",
    ),
]
_ADDED_ID: Fields = [("provider_id", ProviderId | None, None)]
_GIVEN_ID: Fields = [("provider_id", ProviderId, NODEFAULT)]
_ID: Fields = [("provider_id", str, NODEFAULT)]
_IS_DEFAULT: Fields = [("is_default", bool, NODEFAULT)]
_IS_COMPLETE: Fields = [("is_complete", bool, NODEFAULT)]
_CREATED_AT: Fields = [("created_at", int, NODEFAULT)]
_UPDATED_AT: Fields = [("updated_at", int | None, None)]
_STATE: Fields = [*_IS_DEFAULT, *_IS_COMPLETE, *_CREATED_AT, *_UPDATED_AT]

AddFcmProvider = make_shape(
    "AddFcmProvider",
    "The FCM provider to add; without an id, one is generated.",
    [*_ADDED_ID, *changed_fields(FcmSetup)],
    FcmSetup,
)
UpdateFcmProvider = make_shape(
    "UpdateFcmProvider",
    "The changes to an FCM provider; absent fields and redacted secrets keep their values.",
    [*changed_fields(FcmSetup), *_GIVEN_ID],
    FcmSetup,
)
FcmProviderShape = make_shape(
    "FcmProviderShape",
    "An FCM provider.",
    [*_ID, *shown_fields(FcmSetup), *_STATE],
    FcmSetup,
)
AddApnsProvider = make_shape(
    "AddApnsProvider",
    "The APNs provider to add; without an id, one is generated.",
    [*_ADDED_ID, *changed_fields(ApnsSetup)],
    ApnsSetup,
)
UpdateApnsProvider = make_shape(
    "UpdateApnsProvider",
    "The changes to an APNs provider; absent fields and redacted secrets keep their values.",
    [*changed_fields(ApnsSetup), *_GIVEN_ID],
    ApnsSetup,
)
ApnsProviderShape = make_shape(
    "ApnsProviderShape",
    "An APNs provider.",
    [*changed_fields(ApnsSetup), *_ID, *_STATE],
    ApnsSetup,
)
AddWebPushProvider = make_shape(
    "AddWebPushProvider",
    "The Web Push provider to add; without an id, one is generated.",
    [*_ADDED_ID, *saved_fields(WebPushSetup)],
    WebPushSetup,
)
WebPushProviderShape = make_shape(
    "WebPushProviderShape",
    "A Web Push provider.",
    [*_ID, *shown_fields(WebPushSetup, is_whole=True), *_IS_DEFAULT, *_CREATED_AT],
    WebPushSetup,
)
_SHAPES: dict[type[PushSetup], type[Struct]] = {
    FcmSetup: FcmProviderShape,
    ApnsSetup: ApnsProviderShape,
    WebPushSetup: WebPushProviderShape,
}


def _list_of(shape: type[Struct], name: str, about: str) -> type[Struct]:
    fields = [("push_providers", list[shape])]  # type: ignore[valid-type]
    return msgspec.defstruct(name, fields, bases=(Shape,), namespace={"__doc__": about})


FcmProviders = _list_of(FcmProviderShape, "FcmProviders", "The FCM providers of the app.")
ApnsProviders = _list_of(ApnsProviderShape, "ApnsProviders", "The APNs providers of the app.")
WebPushProviders = _list_of(
    WebPushProviderShape, "WebPushProviders", "The Web Push providers of the app."
)


class FcmAdded(Shape, kw_only=True):
    """The acknowledgement of a new FCM provider; with its id if it was generated."""

    success: bool
    provider_id: str | None = None


class FcmAddedAnswer(Envelope):
    """The answer to adding an FCM provider."""

    data: FcmAdded
    meta: Json


class WebPushAdded(Shape, kw_only=True):
    """The acknowledgement of a new Web Push provider, with its key."""

    success: bool
    provider_id: str
    public_key: PublicKey


def provider_shape(provider: Provider[Any]) -> Struct:
    """Return a provider on the wire."""
    shape = _SHAPES[type(provider.setup)]
    fields = {
        **show(mask(provider.setup)),
        "provider_id": provider.id,
        "is_default": provider.is_default,
        "is_complete": provider.setup.is_complete,
        "created_at": provider.created_at,
        "updated_at": provider.updated_at,
    }
    return shape(**{name: fields[name] for name in shape.__struct_fields__})
