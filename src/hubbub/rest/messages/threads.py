"""Threads and numbers of replies: read the request, call the domain, write the answer."""

from hubbub.domain.access.rates import Rate
from hubbub.domain.attachments.send import send_draft, with_files
from hubbub.domain.messages import find
from hubbub.domain.messages.compose import compose_reply
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.messages.model import MessageActionNotAllowed, MessageIdNotFound, ThreadNesting
from hubbub.records.search.model import SearchTookTooLong
from hubbub.records.users.model import UidNotFound
from hubbub.rest.messages.messages import GROUP_ERRORS, SEND_CODES, SEND_ERRORS, TAG, keep
from hubbub.rest.messages.wire import send as wire
from hubbub.rest.messages.wire.history import ListThread, MessageList, history_shape
from hubbub.rest.messages.wire.replies import CountReplies, ReplyCount, ReplyCounts
from hubbub.rest.messages.wire.unsent import render_unsent
from hubbub.rest.wire import path

THREAD = "/messages/{id}/thread"
REPLIES = "/messages/replies"


@operation.post(
    THREAD,
    tag=TAG,
    acting=Acting.REQUIRED,
    features=("createMessageThread",),
    rate=Rate.SEND,
    errors=(
        UidNotFound,
        MessageIdNotFound,
        MessageActionNotAllowed,
        ThreadNesting,
        *GROUP_ERRORS,
        *SEND_ERRORS,
    ),
    codes=SEND_CODES,
    takes_files=True,
)
async def send_thread_message(
    call: Call,
    message_id: path.MessageId,
    body: wire.SendReplyBody,
) -> wire.SentReply:
    """Reply in the thread of a message.

    A reply has no thread of its own. Files are uploaded as with any other message, and with
    `sendAt` it is sent later, too.
    """
    sending = with_files(body.message_input(), call.upload)
    draft = compose_reply(call.actor, sending, message_id)
    times = body.times()
    if times is not None:
        return await keep(call, draft, times)
    view = await send_draft(call.runtime, call.app_id, draft, call.upload, render_unsent)
    if view.is_repeated:
        call.answer_headers["Idempotent-Replayed"] = "true"
    return wire.sent_message(call.app_id, view, is_app=call.actor.is_app)


@operation.get(
    THREAD,
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("listThreadedMessages",),
    errors=(UidNotFound, MessageIdNotFound),
    is_followed=True,
)
async def list_all_thread_messages(
    call: Call,
    message_id: path.MessageId,
    query: ListThread,
) -> MessageList:
    """List the replies in the thread of a message; with `count`, their number.

    Threads have one level: replies have no replies. `limit`, `id`, `sentAt` and `affix` choose
    the part, 100 messages if they are absent.
    """
    history = await find.list_in_thread(
        call.runtime, call.app_id, call.actor, message_id, query.request()
    )
    return await history_shape(call, history, query)


@operation.get(
    REPLIES,
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("listThreadedMessages",),
    errors=(UidNotFound, SearchTookTooLong),
    is_own=True,
)
async def count_replies(call: Call, query: CountReplies) -> ReplyCounts:
    """Count the replies to several messages, such as those of a page.

    Replies that were deleted do not count, nor do actions such as edits. Messages that do not
    exist, or that the acting user may not see, are left out.
    """
    ids = [path.parse_message_id(each, "ids") for each in query.ids]
    counts = await find.count_replies(call.runtime, call.app_id, call.actor, ids)
    return ReplyCounts(data=[ReplyCount(id=str(id_), count=n) for id_, n in counts.items()])
