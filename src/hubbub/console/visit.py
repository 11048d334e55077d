"""The first argument of every page: the parts of the node, who looks, and how changes are made."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hubbub.console.page import ConsolePage
from hubbub.domain.attachments.upload import Upload
from hubbub.domain.audit.record import Deed, Facts, Result, Verb, carry_out_recorded, record_look
from hubbub.http.request import Request
from hubbub.kernel.errors import Refusal
from hubbub.records.audit.model import Doer
from hubbub.records.operators.model import Operator, OperatorSession
from hubbub.runtime import Runtime


@dataclass(slots=True)
class Visit:
    """A request of an operator who is signed in."""

    runtime: Runtime
    request: Request
    session: OperatorSession
    csrf: str
    """What each form of a page sends back, so that no page of others can send it."""
    address: str
    page: ConsolePage
    values: Mapping[str, str]
    """The parameters of the path."""
    entered: Mapping[str, str] = field(default_factory=dict)
    """What was sent with a form that was refused: it is shown again."""
    file: bytes = b""
    """The file that was sent with a form."""
    upload: Upload | None = None
    """The large file that was sent with a form; it is removed when the visit ends."""
    problem: Refusal | None = None
    """Why it was refused."""
    has_recorded: bool = False
    """Whether the audit log has an entry of it."""

    @property
    def operator(self) -> Operator:
        return self.session.operator

    @property
    def app(self) -> str:
        """Return the id of the app that the page is about; empty if it is about none."""
        return self.values.get("app", "")

    @property
    def doer(self) -> Doer:
        return Doer(self.operator.name, self.address)

    async def change(
        self,
        action: str,
        subject: str,
        verb: Verb[Result],
        *,
        app: str | None = None,
        before: Facts | None = None,
        after: Facts | None = None,
    ) -> Result:
        """Make a change by a verb of the domain; its audit entry is in the same transaction.

        `before` and `after` never hold a secret, nor what people wrote.

        Raises:
            Refusal: the verb refused; nothing was changed or recorded.
        """
        deed = self._deed(action, subject, app=app, before=before, after=after)
        result = await carry_out_recorded(self.runtime, self.doer, deed, verb)
        self.has_recorded = True
        return result

    async def look(self, action: str, subject: str, *, after: Facts | None = None) -> None:
        """Record a look at a secret or at content, before it is shown."""
        await record_look(self.runtime, self.doer, self._deed(action, subject, after=after))
        self.has_recorded = True

    def _deed(self, action: str, subject: str, *, app: str | None = None, **facts: Any) -> Deed:
        return Deed(action=action, subject=subject, app=self.app if app is None else app, **facts)
