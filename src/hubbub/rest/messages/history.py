"""`/messages/{id}/history`: read the request, call the domain, write the answer."""

from typing import Annotated

import msgspec
from msgspec import Meta

from hubbub.domain.messages.history import list_versions
from hubbub.files.links import has_references, mark_references
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.history.model import HistoryNotAccessible, MessageVersion
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.users.model import UidNotFound
from hubbub.rest.messages.messages import TAG
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Listing, PageQuery, Shape, page_answer

VersionData = Annotated[
    msgspec.Raw,
    Meta(extra_json_schema={"type": "object", "description": "The data as it was sent."}),
]


class VersionShape(Shape, kw_only=True):
    """What a message was before an edit."""

    data: VersionData
    tags: list[str] | None = None
    written_by: str
    written_at: int


def version_shape(version: MessageVersion) -> VersionShape:
    """Return a former version of a message on the wire."""
    data = version.data.encode()
    if has_references(version.data):
        data = mark_references(data, version.message, is_deleted=False)
    return VersionShape(
        data=msgspec.Raw(data),
        tags=msgspec.json.decode(version.tags) or None,
        written_by=version.written_by,
        written_at=version.written_at,
    )


@operation.get(
    "/messages/{id}/history",
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("getMessage",),
    errors=(UidNotFound, MessageIdNotFound, HistoryNotAccessible),
    is_own=True,
)
async def list_message_versions(
    call: Call, message_id: path.MessageId, query: PageQuery
) -> Listing[VersionShape]:
    """List what a message was before each of its edits, newest first.

    The message as it is now is not among them; one that was never edited has none. The app sees
    them, and moderators of a group; participants do where `messages.historyForParticipants` is on.
    They are kept and erased with the message.
    """
    page = await list_versions(call.runtime, call.app_id, call.actor, message_id, query.request())
    return page_answer(page, [version_shape(each) for each in page.items])
