"""Judge a message by the rules of its app, before the transaction that stores it."""

from hubbub.domain.moderation.decision import Decision, Occasion
from hubbub.records.messages.model import Draft
from hubbub.runtime import Runtime


async def judge(
    runtime: Runtime, app_id: str, draft: Draft, occasion: Occasion = Occasion.SEND
) -> Decision | None:
    """Return what the rules of the app decide about a draft; None if it is not moderated.

    What the app itself sends, and what is imported, is not moderated, and nothing is in an app
    without enabled rules.
    """
    return None
