"""The operations of a provider that an app has at most one of, from one declaration.

Its shapes follow from the fields of its setup, in `records/notifications/setups.py`.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec
import structlog
from msgspec import Meta, Struct

from hubbub.domain.notifications.providers import channels
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.kernel.fields import mask
from hubbub.records.notifications.model import ProviderNotFound
from hubbub.records.notifications.setups import (
    ChannelSetup,
    CustomPushSetup,
)
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.wire.derived import (
    Fields,
    changed_fields,
    given_fields,
    make_shape,
    saved_fields,
    show,
    shown_fields,
)
from hubbub.rest.wire.shapes import Shape, Success

log = structlog.get_logger()

KEY_SHOWN = 12
"""How much of the keyed hash of an API key tells it from others in the log."""


class ShowsSecrets(Shape):
    """Whether the answer has the secrets."""

    with_secrets: Annotated[
        bool,
        Meta(
            description=(
                "Secrets are in the answer as they are, not as the mark `•••`. The server's log"
                " notes who asked."
            )
        ),
    ] = False


class Channel(Struct, frozen=True, kw_only=True):
    """A provider: its setup, and what the document says of it."""

    setup: type[ChannelSetup]
    path: str
    name: str
    """Stands in the names of the operations."""
    shape: str
    """Stands in the names of the shapes."""
    shown_about: str
    saved_about: str
    changed_about: str
    called: str
    """Stands in the first lines of the operations."""
    get_text: str
    save_text: str
    delete_text: str
    made_fields: Fields = ()
    """The fields of answers that are made of the setup."""
    make: Callable[[Any, Call], Mapping[str, Any]] = lambda setup, call: {}
    """Returns their values."""
    is_own: bool = False


def saving(rivals: str) -> str:
    """Return the text of the operation that saves a provider which disables its rivals."""
    return (
        f"If it is enabled, {rivals} disabled. A secret that is sent as answers\n"
        "show it, redacted, keeps its value."
    )


class _Resource:
    """The shapes and the operations of a provider."""

    def __init__(self, channel: Channel) -> None:
        kind, shape = channel.setup, channel.shape
        self.kind = kind
        self._make = channel.make
        self.saved = make_shape(f"Save{shape}", channel.saved_about, saved_fields(kind), kind)
        self.changed = make_shape(
            f"Change{shape}", channel.changed_about, changed_fields(kind), kind
        )
        fields = [*shown_fields(kind), *channel.made_fields]
        self.shown = make_shape(f"{shape}Shape", channel.shown_about, fields, kind)
        self.answer = _list_of(self.shown) if kind is CustomPushSetup else self.shown

    async def get(self, call: Call, query: ShowsSecrets) -> Struct:
        """Get the setup of {called}; the {answer} is empty if there is none.

        {get_text}
        """
        setup = await channels.get_channel(call.runtime, call.app_id, self.kind)
        return self._render(setup, call, query)

    async def save(self, call: Call, query: ShowsSecrets, body: Struct) -> Struct:
        """Set {called} up, in place of the previous setup.

        {save_text}
        """
        given = self.kind(**given_fields(body, self.kind))
        setup = await channels.save_channel(call.runtime, call.app_id, given)
        return self._render(setup, call, query)

    async def change(self, call: Call, query: ShowsSecrets, body: Struct) -> Struct:
        """Change the setup of {called}; fields that are absent keep their values.

        A secret that is sent as answers show it, redacted, keeps its value, too.
        """
        given = self.kind(**given_fields(body, self.kind))
        setup = await channels.change_channel(call.runtime, call.app_id, given)
        return self._render(setup, call, query)

    async def delete(self, call: Call) -> Success:
        """Delete the setup of {called}; this succeeds also if there is none.

        {delete_text}
        """
        await channels.delete_channel(call.runtime, call.app_id, self.kind)
        return Success(success=True)

    def _render(self, setup: ChannelSetup | None, call: Call, query: ShowsSecrets) -> Struct:
        if query.with_secrets:
            _note_asking(call)
        fields: dict[str, Any] = {}
        if setup is not None:
            fields = show(setup if query.with_secrets else mask(setup))
            fields |= self._make(setup, call)
        if self.answer is self.shown:
            return self.shown(**fields)
        return self.answer(push_providers=[self.shown(**fields)] if fields else [])


def _list_of(shown: type[Struct]) -> type[Struct]:
    """Return the shape of a list of the custom push provider."""
    return msgspec.defstruct(
        "CustomPushProviders",
        [("push_providers", list[shown])],  # type: ignore[valid-type]
        bases=(Shape,),
        namespace={"__doc__": "The custom push provider, or none."},
    )


def _note_asking(call: Call) -> None:
    """Log that secrets are asked for, and with which key."""
    request = call.request
    log.info(
        "secrets_shown",
        app=call.app_id,
        key=call.credential[:KEY_SHOWN],
        request_id=request.id if request else None,
        operation=request.operation.name if request and request.operation else None,
    )


def declare(channel: Channel) -> None:
    """Declare the four operations of a provider."""
    resource, name = _Resource(channel), f"{channel.name}_provider"
    words = {
        **msgspec.structs.asdict(channel),
        "answer": "answer" if resource.answer is resource.shown else "list",
    }
    common: dict[str, Any] = {"tag": TAG, "words": words, "is_own": channel.is_own}
    shown: dict[str, Any] = {"return": resource.answer}
    operation.get(channel.path, name=f"get_{name}", hints=shown, **common)(resource.get)
    operation.post(
        channel.path, name=f"save_{name}", hints={**shown, "body": resource.saved}, **common
    )(resource.save)
    operation.put(
        channel.path,
        name=f"update_{name}",
        hints={**shown, "body": resource.changed},
        errors=(ProviderNotFound,),
        **common,
    )(resource.change)
    operation.delete(channel.path, name=f"delete_{name}", **common)(resource.delete)
