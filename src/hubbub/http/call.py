"""The first argument of every operation: the runtime, the app, and who acts."""

import re
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from hubbub.domain.access.actor import APP, Actor
from hubbub.domain.attachments.upload import Upload
from hubbub.files.links import Links
from hubbub.http.request import Request
from hubbub.runtime import Runtime

_HOST = re.compile(r"[A-Za-z0-9.:\[\]_-]{1,255}")


@dataclass(slots=True)
class Call:
    """One authenticated request."""

    runtime: Runtime
    app_id: str
    actor: Actor = APP
    scope: str = ""
    """The scope of the API key; empty for an auth token."""
    credential: str = ""
    """The keyed hash of the API key or the token."""
    is_on_behalf: bool = False
    """Whether the header `onBehalfOf` is there, also with the token of that same user."""
    answer_headers: dict[str, str] = field(default_factory=dict)
    """Headers that the operation adds to its answer."""
    upload: Upload | None = None
    """The files of the body, if it is a form."""
    ignored: list[str] = field(default_factory=list)
    """The names of the query and body that the operation does not have."""
    fetched: list[Upload] = field(default_factory=list)
    """Files that the operation fetches; those that no message takes are removed afterwards."""
    direct: Runtime | None = None
    """The runtime whose writes are not part of the call's one transaction, if it has such a one."""

    request: Request | None = None
    """The request that the client waits for the answer of; None if there is no client."""

    async def wait_for(self, waiting: Coroutine[Any, Any, bool]) -> bool:
        """Return the outcome of a wait; it is False if the client leaves or the node stops."""
        return await (waiting if self.request is None else self.request.wait_for(waiting))

    def new_upload(self) -> Upload:
        """Return a place for files that the operation fetches, before its first write."""
        upload = Upload(self.direct or self.runtime, self.app_id)
        self.fetched.append(upload)
        return upload

    @property
    def address(self) -> str:
        """Return the address under which the client reaches this node; empty if it is not known."""
        if self.request is None:
            return self.runtime.settings.public_url.rstrip("/")
        return address_of(self.runtime, self.request)

    @property
    def links(self) -> Links:
        """Return the maker of the links to files that the client gets."""
        runtime = self.runtime
        return Links(runtime.sealer, self.app_id, self.address, runtime.clock.now())

    @property
    def is_by_token(self) -> bool:
        """Return whether a user calls with their token, and not the app with a key."""
        return not self.scope


def address_of(runtime: Runtime, request: Request) -> str:
    """Return the address under which the client reaches this node; links without it have no host.

    Only the caller reads the answer, so the host that they name can be trusted.
    """
    if runtime.settings.public_url:
        return runtime.settings.public_url.rstrip("/")
    host = request.header(b"host") or ""
    if not _HOST.fullmatch(host):
        return ""
    forwarded = request.header(b"x-forwarded-proto") or ""
    is_secure = request.is_secure or forwarded.partition(",")[0].strip().lower() == "https"
    return f"{'https' if is_secure else 'http'}://{host}"
