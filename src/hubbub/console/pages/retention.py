"""What retention has removed, and the legal holds, which keep messages from it."""

from typing import Literal

from hubbub.console import page
from hubbub.console.page import ADMINS, ChangeMade, PageForm, PageShown, show
from hubbub.console.visit import Visit
from hubbub.domain.retention import hold, report
from hubbub.domain.settings import manage
from hubbub.kernel.text import normalise_id
from hubbub.records.retention.model import APP
from hubbub.records.settings.model import DISAPPEAR_AFTER, RETENTION_DAYS
from hubbub.rest.wire.shapes import ShortText

RETENTION = "/apps/{app}/retention"


class HeldSubject(PageForm):
    """What a hold is on."""

    kind: Literal["app", "group", "user"]
    subject: ShortText = ""

    @property
    def id(self) -> str:
        """Return the uid or guid; empty for the app.

        Raises:
            BadInput: it is none.
        """
        return "" if self.kind == APP else normalise_id(self.subject, "subject")


@page.get(RETENTION, title="Retention", roles=ADMINS)
async def show_retention(visit: Visit, app: str) -> PageShown:
    """Show how long messages are kept, the legal holds, and what runs have removed."""
    settings = await manage.get_settings(visit.runtime, app)
    return show(
        "retention.html",
        days=settings.limit(RETENTION_DAYS),
        seconds=settings.limit(DISAPPEAR_AFTER),
        holds=await hold.list_holds(visit.runtime, app),
        runs=await report.list_runs(visit.runtime, app),
    )


@page.post(RETENTION + "/holds", roles=ADMINS, back=RETENTION)
async def set_hold(visit: Visit, app: str, form: HeldSubject) -> ChangeMade:
    """Set a legal hold."""
    return await _change(visit, app, form, is_on=True)


@page.post(RETENTION + "/holds/lift", roles=ADMINS, back=RETENTION)
async def lift_hold(visit: Visit, app: str, form: HeldSubject) -> ChangeMade:
    """Lift a legal hold: what is old by then is removed."""
    return await _change(visit, app, form, is_on=False)


async def _change(visit: Visit, app: str, form: HeldSubject, *, is_on: bool) -> ChangeMade:
    kind, id_ = form.kind, form.id
    deed = hold.deed_of(app, kind, id_, is_on=is_on)
    await visit.change(
        deed.action,
        deed.subject,
        lambda runtime: hold.set_hold(runtime, app, kind, id_, is_on=is_on, recorded=None),
    )
    return ChangeMade(f"The {deed.subject} is {'on hold' if is_on else 'on hold no more'}.")
