"""What an operation is handed of a request: the parts of the node, the app, and who acts."""

from dataclasses import dataclass, field

from hubbub.domain.access.actor import APP, Actor
from hubbub.domain.attachments.upload import Upload
from hubbub.runtime import Runtime


@dataclass(slots=True)
class Call:
    """One request, after it was let in."""

    runtime: Runtime
    app_id: str
    actor: Actor = APP
    scope: str = ""
    """The scope of the key that was shown; empty for a token."""
    credential: str = ""
    """The keyed hash of what was shown."""
    is_on_behalf: bool = False
    """Whether it names an acting user, be it a token's bearer who names himself."""
    answer_headers: dict[str, str] = field(default_factory=dict)
    upload: Upload | None = None
    """The files that came with the body, where an operation takes some."""

    @property
    def is_by_token(self) -> bool:
        """Whether the caller is the user himself, not the app on his behalf."""
        return not self.scope
