"""The first argument of every operation: the runtime, the app, and who acts."""

from dataclasses import dataclass, field

from hubbub.domain.access.actor import APP, Actor
from hubbub.domain.attachments.upload import Upload
from hubbub.runtime import Runtime


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

    def new_upload(self) -> Upload:
        """Return a place for files that the operation fetches, before its first write."""
        upload = Upload(self.direct or self.runtime, self.app_id)
        self.fetched.append(upload)
        return upload

    @property
    def is_by_token(self) -> bool:
        """Return whether a user calls with their token, and not the app with a key."""
        return not self.scope
