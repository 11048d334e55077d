"""`/moderation/rules`: read the request, call the domain, write the answer."""

from hubbub.domain.moderation.rules import find, manage
from hubbub.domain.moderation.rules.trial import try_rule
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.kernel.pages import page_of
from hubbub.records.moderation.keywords.model import KeywordNotFound
from hubbub.records.moderation.rules.model import (
    RuleAlreadyExists,
    RuleDeleteDenied,
    RuleNotFound,
    TooManyRules,
)
from hubbub.rest.moderation.wire import rules as wire
from hubbub.rest.moderation.wire.lists import (
    ModerationListing,
    ModerationQuery,
    moderation_listing,
)
from hubbub.rest.moderation.wire.rules import RuleShape, rule_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import SuccessMessage

TAG = operation.Tag(
    "Moderation",
    "Rules about what users send, and lists of words and patterns that they refer to.",
)
RULES = "/moderation/rules"
RULE = "/moderation/rules/{ruleId}"


@operation.post(RULES, tag=TAG, errors=(KeywordNotFound, RuleAlreadyExists, TooManyRules))
async def create_rule(call: Call, body: wire.GivenRule) -> RuleShape:
    """Create a rule, which holds at once unless `enabled` is false.

    A message matches if all `filters` and any of the `conditions` do; without an `action` it is
    blocked. An app has at most 25 rules besides the built-in ones.
    """
    rule = await manage.create_rule(call.runtime, call.app_id, body.id, body.change())
    return rule_shape(call.app_id, rule)


@operation.get(RULES, tag=TAG)
async def list_rules(call: Call, query: ModerationQuery) -> ModerationListing[RuleShape]:
    """List the rules: the app's own, newest first, then the built-in ones.

    Those that are built in have `default`, and are disabled until they are updated.
    """
    rules = await find.list_rules(call.runtime, call.app_id)
    page = page_of(rules, query.request())
    return moderation_listing(page, [rule_shape(call.app_id, each) for each in page.items])


@operation.get(RULE, tag=TAG, errors=(RuleNotFound,))
async def get_rule(call: Call, rule_id: path.RuleId) -> RuleShape:
    """Get a rule.

    It is the newest revision, which is the one that holds.
    """
    return rule_shape(call.app_id, await find.get_rule(call.runtime, call.app_id, rule_id))


@operation.put(RULE, tag=TAG, errors=(RuleNotFound, KeywordNotFound))
async def update_rule(call: Call, rule_id: path.RuleId, body: wire.GivenRule) -> RuleShape:
    """Change a rule, also a built-in one; fields that are absent keep their values.

    Each change makes a revision. Messages are judged by it from now on; on other nodes after at
    most five seconds.
    """
    rule = await manage.update_rule(call.runtime, call.app_id, rule_id, body.change())
    return rule_shape(call.app_id, rule)


@operation.delete(RULE, tag=TAG, errors=(RuleNotFound, RuleDeleteDenied))
async def delete_rule(call: Call, rule_id: path.RuleId) -> SuccessMessage:
    """Delete a rule with its revisions; a built-in one can only be disabled.

    Messages that it blocked stay where they are.
    """
    await manage.delete_rule(call.runtime, call.app_id, rule_id)
    return SuccessMessage(
        success=True, message=f"Rule with id {rule_id} has been deleted successfully."
    )


@operation.get(RULE + "/revisions", tag=TAG, errors=(RuleNotFound,))
async def list_rule_revisions(
    call: Call, rule_id: path.RuleId, query: ModerationQuery
) -> ModerationListing[RuleShape]:
    """List the revisions of a rule, newest first; the newest is `active`.

    The newest 100 are kept.
    """
    revisions = await find.list_revisions(call.runtime, call.app_id, rule_id)
    page = page_of(revisions, query.request())
    return moderation_listing(page, [rule_shape(call.app_id, each) for each in page.items])


@operation.post(RULE + "/try", tag=TAG, errors=(RuleNotFound,), is_own=True, is_body_optional=True)
async def try_moderation_rule(
    call: Call, rule_id: path.RuleId, body: wire.TryRule
) -> wire.TrialShape:
    """Find out which of the last messages a rule would have matched; nothing is changed.

    The rule need not be enabled. `looked` counts those of the last `limit` messages that would have
    been judged. Conditions about rates, and those of the custom engine, are left out.
    """
    trial = await try_rule(call.runtime, call.app_id, rule_id, body.limit)
    return wire.trial_shape(trial)
