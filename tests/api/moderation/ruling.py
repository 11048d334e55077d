"""Rules for the tests of what follows from them: each looks for one word."""

from tests.world import World

RULES = "/moderation/rules"
RULINGS = {
    "dropped": "dropMessage",
    "bounced": "bounce",
    "blocked": "blockMessage",
    "masked": "mask",
    "flagged": "flagMessage",
}
"""The words that the rules look for, with the actions of the rules."""
PENALTIES = ("kick", "ban", "block", "deactivate")


async def make_rule(world: World, word: str, *actions: str) -> None:
    """Make a rule that looks for a word, which is its id."""
    condition = {"operand": "text", "category": "word", "operator": "contains", "value": [word]}
    rule = {
        "id": word,
        "name": f"No {word}",
        "description": f"Not {word}, please.",
        "conditions": [condition],
        "action": list(actions),
    }
    await world.post(RULES, rule)


async def make_rules(world: World) -> None:
    """Make the rules of `RULINGS`."""
    for word, action in RULINGS.items():
        await make_rule(world, word, action)


async def delete_rule(world: World, word: str) -> None:
    """Delete a rule."""
    await world.delete(f"{RULES}/{word}")
