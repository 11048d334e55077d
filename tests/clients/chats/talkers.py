"""Programs with the store, in browsers and in Node.js, and what is done at them."""

import json
import random
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from tests.clients.chats.people import People, Person
from tests.live import environment

PROGRAM = Path(__file__).with_name("lab_node.mjs")
Evaluate = Callable[[str], Any]
"""Evaluates an expression about `lab`, and returns what it becomes."""


def in_page(page: Page) -> Evaluate:
    """Return a function that evaluates in a page."""
    return page.evaluate


@contextmanager
def in_node(people: People, person: Person) -> Iterator[Evaluate]:
    """Start a program in Node.js; yield a function that evaluates in it."""
    command = ["node", str(PROGRAM), people.url, person.uid, people.token(person)]
    program = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    )
    assert program.stdin is not None
    assert program.stdout is not None
    tell, said = program.stdin, program.stdout

    def evaluate(expression: str) -> Any:
        tell.write(f"{json.dumps(expression)}\n")
        tell.flush()
        line = said.readline()
        assert line, f"the program has ended: {expression}"
        return json.loads(line)

    try:
        yield evaluate
    finally:
        tell.close()
        said.close()
        program.terminate()
        program.wait()


@dataclass
class Talker:
    """Somebody at a program, who does by chance what people do."""

    name: str
    person: Person
    lists: tuple[dict[str, str], ...]
    """Whom the person writes to: somebody, and a group."""
    evaluate: Evaluate
    chance: random.Random
    texts: list[str] = field(default_factory=list)
    """The texts that were sent here."""

    def watch(self) -> None:
        """Begin to show the messages."""
        for each in self.lists:
            self.evaluate(f"void lab.watch({json.dumps(each)})")

    def act(self) -> None:
        """Send, mostly; or change a message, or read."""
        to = json.dumps(self.chance.choice(self.lists))
        done = self.chance.choices(["send", "edit", "react", "read", "older"], [5, 2, 2, 2, 1])[0]
        getattr(self, f"_{done}")(to)

    def _send(self, to: str) -> None:
        text = f"{self.name} {len(self.texts)}"
        self.texts.append(text)
        self.evaluate(f"void lab.chat.send({to}, {{text: '{text}'}})")

    def _edit(self, to: str) -> None:
        place, mark = self.chance.random(), self.chance.randrange(1000)
        self._change(
            f"lab.messages({to}).filter(({{id, sender}}) => id && sender === '{self.person.uid}')",
            f"lab.chat.edit(one.id, {{text: one.data.text.split(' !')[0] + ' !{mark}'}})",
            place,
        )

    def _react(self, to: str) -> None:
        act = self.chance.choice(["react", "react", "unreact"])
        reaction = self.chance.choice(["+1", "heart"])
        found = f"lab.messages({to}).filter(({{id}}) => id)"
        self._change(found, f"lab.chat.{act}(one.id, '{reaction}')", self.chance.random())

    def _change(self, found: str, change: str, place: float) -> None:
        """Change one of the last messages; a change whose connection is cut may be refused."""
        one = f"const one = {found}.slice(-12)[Math.floor({place} * Math.min(12, {found}.length))]"
        self.evaluate(f"(() => {{ {one}; if (one) {change}.catch(() => undefined); }})()")

    def _read(self, to: str) -> None:
        self.evaluate(f"void lab.chat.markRead(lab.chat.open({to}))")

    def _older(self, to: str) -> None:
        self.evaluate(f"void lab.watch({to}).loadOlder()")

    def cut(self) -> None:
        """Lose the socket, with what is on its way."""
        self.evaluate("void lab.cut()")

    @property
    def is_settled(self) -> bool:
        """Return whether it is connected, and nothing waits."""
        status = self.evaluate("lab.status()")
        return bool(status["connection"]["name"] == "connected" and status["queued"] == 0)

    def shown(self) -> list[Any]:
        """Return all messages that are shown, and how many are unread."""
        return [
            [
                [comparable(each) for each in self.evaluate(f"lab.everything({json.dumps(to)})")],
                self.evaluate(f"lab.unread({json.dumps(to)})") or 0,
            ]
            for to in self.lists
        ]

    def fresh(self, people: People) -> list[Any]:
        """Return what the server says of the same."""
        return [self._fresh(people, to) for to in self.lists]

    def _fresh(self, people: People, to: dict[str, str]) -> list[Any]:
        path = f"/users/{to['uid']}" if "uid" in to else f"/groups/{to['guid']}"
        messages: list[Any] = []
        while True:
            before = f"&id={messages[0]['id']}" if messages else ""
            query = f"affix=prepend&limit=100&hideReplies=true{before}"
            page = people.call("GET", f"{path}/messages?{query}", by=self.person)
            messages = page + messages
            if len(page) < 100:
                break
        conversation = people.call("GET", f"{path}/conversation", by=self.person)
        return [
            [comparable(each) for each in messages],
            int(conversation["unreadMessageCount"]),
        ]


def comparable(message: dict[str, Any]) -> dict[str, Any]:
    """Return what has to be the same everywhere.

    When all of a group have read a message is told to open sockets only.
    """
    names = ["id", "muid", "sender", "category", "type", "sentAt", "editedAt", "deletedAt"]
    if message["receiverType"] == "user":
        names += ["readAt"]
    reactions = message["data"].get("reactions", [])
    counts = [(each["reaction"], each["count"], "reactedByMe" in each) for each in reactions]
    return {
        **{name: message[name] for name in names if name in message},
        "text": message["data"].get("text"),
        "reactions": sorted(counts),
    }
