"""The reasons that users choose from when they flag a message."""

from hubbub.console import page
from hubbub.console.page import MODERATORS, ChangeMade, PageForm, PageShown, show
from hubbub.console.visit import Visit
from hubbub.domain.moderated import reasons
from hubbub.kernel.pages import PageRequest
from hubbub.kernel.text import normalise_id
from hubbub.records.moderated.model import MOST_REASONS
from hubbub.rest.wire.shapes import Id, Name, ShortText

REASONS = "/apps/{app}/reasons"
REASON = REASONS + "/{reason}"


class ReasonTexts(PageForm):
    """What users read of a reason."""

    name: Name
    description: ShortText = ""


class NewReason(ReasonTexts, kw_only=True):
    """The reason to create."""

    id: Id


@page.get(REASONS, title="Reasons", roles=MODERATORS)
async def list_reasons(visit: Visit, app: str) -> PageShown:
    """List the reasons of an app."""
    found = await reasons.list_reasons(visit.runtime, app, PageRequest(1, MOST_REASONS))
    return show("reasons.html", reasons=found.items)


@page.post(REASONS, roles=MODERATORS, back=REASONS)
async def create_reason(visit: Visit, app: str, form: NewReason) -> ChangeMade:
    """Create a reason."""
    id_ = normalise_id(form.id, "id")
    await visit.change(
        "reason.create",
        id_,
        lambda runtime: reasons.create_reason(runtime, app, id_, form.name, form.description),
        after={"name": form.name},
    )
    return ChangeMade(f"The reason {id_} is created.")


@page.post(REASON, roles=MODERATORS, back=REASONS)
async def update_reason(visit: Visit, app: str, reason: str, form: ReasonTexts) -> ChangeMade:
    """Change the texts of a reason."""
    await visit.change(
        "reason.update",
        reason,
        lambda runtime: reasons.update_reason(runtime, app, reason, form.name, form.description),
        after={"name": form.name},
    )
    return ChangeMade(f"The reason {reason} is changed.")


@page.post(REASON + "/delete", roles=MODERATORS, back=REASONS)
async def delete_reason(visit: Visit, app: str, reason: str) -> ChangeMade:
    """Delete a reason; flags that name it stay."""
    await visit.change(
        "reason.delete", reason, lambda runtime: reasons.delete_reason(runtime, app, reason)
    )
    return ChangeMade(f"The reason {reason} is deleted.")
