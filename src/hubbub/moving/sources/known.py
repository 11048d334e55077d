"""The systems that imports know, by the names that `--from` has."""

from hubbub.moving.sources.discord import Discord
from hubbub.moving.sources.interface import Source, SourceUnreadable
from hubbub.moving.sources.irc import Irc
from hubbub.moving.sources.lines import Lines
from hubbub.moving.sources.matrix import Matrix
from hubbub.moving.sources.mattermost import Mattermost
from hubbub.moving.sources.rocketchat import RocketChat
from hubbub.moving.sources.sendbird import Sendbird
from hubbub.moving.sources.slack import Slack
from hubbub.moving.sources.stream import StreamChat
from hubbub.moving.sources.telegram import Telegram
from hubbub.moving.sources.v3 import V3
from hubbub.moving.sources.whatsapp import WhatsApp
from hubbub.moving.sources.zulip import Zulip
from hubbub.moving.tree import Tree

SOURCES: dict[str, Source] = {
    "discord": Discord(),
    "irc": Irc(),
    "lines": Lines(),
    "matrix": Matrix(),
    "mattermost": Mattermost(),
    "rocketchat": RocketChat(),
    "sendbird": Sendbird(),
    "slack": Slack(),
    "stream": StreamChat(),
    "telegram": Telegram(),
    "v3": V3(),
    "whatsapp": WhatsApp(),
    "zulip": Zulip(),
}


def detect(tree: Tree) -> Source:
    """Return the one system whose files these plainly are.

    Raises:
        SourceUnreadable: they are of none, or of several.
    """
    found = [source for source in SOURCES.values() if source.detect(tree)]
    if len(found) == 1:
        return found[0]
    known = ", ".join(f"{source.name} ({source.title})" for source in found or SOURCES.values())
    if found:
        raise SourceUnreadable(
            f"{tree.name} may be of several systems: {known}. Say which one with --from."
        )
    raise SourceUnreadable(
        f"{tree.name} is an export of no system that is known here. Known are {known}."
        " If it is one of them, say so with --from."
    )
