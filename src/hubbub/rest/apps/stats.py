"""`/stats`: read the request, call the domain, write the answer."""

from hubbub.domain.metrics.find import find_traffic, find_usage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.rest.apps.wire import stats as wire
from hubbub.rest.apps.wire.stats import MessageStats, UsageShape, message_stats, usage_shape

TAG = operation.Tag("Metrics", "The usage of an app, and the messages of the last hour.")


@operation.get("/stats", tag=TAG)
async def get_usage_metrics(call: Call, query: wire.UsageQuery) -> UsageShape:
    """Count the users who were active in a range of days, and the peak of connections.

    Days are those of UTC. A range counts all of each day that it touches, so `active_users` of one
    month are its monthly active users. A user is active who sends a message or does something else
    that changes messages, conversations or groups, with an auth token or by `onBehalfOf`. Bots are
    not counted, nor are imports. The figures are a few seconds old.
    """
    asked = query.range()
    first, last = asked.from_date // 1000, asked.to_date // 1000
    return usage_shape(await find_usage(call.runtime, call.app_id, first, last), asked)


@operation.get("/stats/messages", tag=TAG)
async def get_message_metrics(call: Call) -> MessageStats:
    """Count the messages and receipts of the last hour, in spans of five minutes.

    The last span ends now. Messages are counted by `sentAt`. Each call that marks messages as read,
    or as delivered, is one receipt, however many messages it covers; one that marks nothing new is
    none. The figures are a few seconds old.
    """
    return message_stats(call.app_id, await find_traffic(call.runtime, call.app_id))
