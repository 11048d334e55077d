"""`/notifications/v1/logs`: read the request, call the domain, write the answer."""

from hubbub.domain.notifications.logs import list_logs
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.notifications.wire import logs as wire
from hubbub.rest.notifications.wire.logs import log_list


@operation.get("/notifications/v1/logs", tag=TAG)
async def list_notification_logs(call: Call, query: wire.ListLogs) -> wire.LogList:
    """List what was decided and sent, to whom, and why not; entries are kept for 14 days.

    An answer has 20 entries, in ascending order; without a cursor the newest. `meta` has the
    cursors that lead to older and newer ones.
    """
    return log_list(await list_logs(call.runtime, call.app_id, query.wanted(), query.request()))
