"""The bot of the demo app: it answers in messages that grow, with texts instead of a model."""

import asyncio
from collections.abc import Iterator
from typing import Any

import structlog

from hubbub.cli.demo.calls import DemoCalls, DemoIncomplete
from hubbub.cli.demo.fill import DemoContent
from hubbub.cli.demo.story import BOT, FOLDER

log = structlog.get_logger()

WAIT_SECONDS, PAUSE_SECONDS = 20, 2.0
WORD_SECONDS = 0.06


async def run_bot(content: DemoContent) -> None:
    """Answer those who write to the bot, or mention it in a group, once the app is filled."""
    bot = DemoBot(await content.wait_complete())
    while True:
        try:
            await bot.follow()
        except DemoIncomplete as refusal:
            log.warning("demo_bot_failed", reason=str(refusal)[:200])
            await asyncio.sleep(PAUSE_SECONDS)


class DemoBot:
    """Follows what happens in the app; each answer is written by a task of its own."""

    def __init__(self, calls: DemoCalls) -> None:
        self._calls = calls
        self._answers = read_answers()
        self._stopped: set[str] = set()

    async def follow(self) -> None:
        """Answer what is asked from now on.

        Raises:
            DemoIncomplete: the app's log can't be read.
        """
        cursor = (await self._calls.answer("GET", "/events"))["meta"]["cursor"]
        async with asyncio.TaskGroup() as writing:
            while True:
                path = f"/events?since={cursor}&wait={WAIT_SECONDS}"
                answer = await self._calls.answer("GET", path)
                cursor = answer["meta"]["cursor"]
                for event in answer["data"]:
                    message = event["data"].get("message", {})
                    if event["event"] == "message_stop_requested":
                        self._stopped.add(message["id"])
                    elif event["event"] == "message_sent" and is_asked(message):
                        writing.create_task(self.reply(message))

    async def reply(self, question: dict[str, Any]) -> None:
        """Write the answer to a question, where it was asked."""
        try:
            await self._write(question, self._answer_to(question["data"]["text"]))
        except DemoIncomplete as refusal:  # deleted meanwhile, for example
            log.info("demo_answer_ended", reason=str(refusal)[:200])

    async def _write(self, question: dict[str, Any], text: str) -> None:
        is_group = question["receiverType"] == "group"
        if not is_group:
            await self._calls.call(
                "POST", f"/users/{question['sender']}/conversation/read", {}, by=BOT
            )
        message = await self._calls.call(
            "POST",
            "/messages",
            {
                "receiver": question["receiver"] if is_group else question["sender"],
                "receiverType": question["receiverType"],
                "growing": True,
                "data": {"text": ""},
            },
            by=BOT,
        )
        path = f"/messages/{message['id']}"
        for number, word in enumerate(_words(text), 1):
            if message["id"] in self._stopped:
                break
            await asyncio.sleep(WORD_SECONDS)
            await self._calls.call(
                "POST", f"{path}/append", {"text": word, "sequence": number}, by=BOT
            )
        await self._calls.call("POST", f"{path}/finish", {"status": "done"}, by=BOT)

    def _answer_to(self, text: str) -> str:
        asked = text.lower()
        return next(
            (answer for words, answer in self._answers if any(each in asked for each in words)),
            self._answers[-1][1],
        )


def is_asked(message: dict[str, Any]) -> bool:
    """Return whether a message is one that the bot answers."""
    text = message["data"].get("text") or ""
    is_plain = message["category"] == "message" and message["sender"] != BOT and text
    is_to_bot = message["receiver"] == BOT or f"<@uid:{BOT}>" in text
    return bool(is_plain and is_to_bot and "parentId" not in message)


def read_answers() -> list[tuple[list[str], str]]:
    """Return what the bot says, each with the words that ask for it; the last one fits anything."""
    blocks = (FOLDER / "answers.txt").read_text(encoding="utf-8").strip().split("\n=== ")
    parts = [block.removeprefix("=== ").partition("\n") for block in blocks]
    return [(words.split(), text.strip()) for words, _, text in parts]


def _words(text: str) -> Iterator[str]:
    """Yield the text in pieces that end with a space or a line."""
    for line in text.splitlines(keepends=True):
        pieces = line.split(" ")
        for piece in pieces[:-1]:
            yield f"{piece} "
        yield pieces[-1]
