"""The chats of the examples, as people use them: what is where on their pages."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from playwright.sync_api import Locator, Page, expect
from tests.documents.blocks import ROOT


class Kit(Protocol):
    """The chat of a kit of components."""

    folder: Path

    def open(self, page: Page, name: str) -> None:
        """Open the conversation with somebody."""

    def unread(self, page: Page, name: str) -> Locator:
        """Return the number of unread messages of a conversation."""

    def write(self, page: Page, text: str) -> None:
        """Write a text, and send it."""

    def type(self, page: Page, text: str) -> None:
        """Write a text, and do not send it."""

    def messages(self, page: Page) -> Locator:
        """Return the contents of the messages."""

    def typing(self, page: Page) -> Locator:
        """Return what is shown while somebody types."""

    def scroll_up(self, page: Page) -> None:
        """Scroll to the first message."""

    def edit(self, page: Page, text: str, instead: str) -> None:
        """Change the text of an own message."""

    def delete(self, page: Page, text: str) -> None:
        """Delete an own message."""

    def reaction(self, page: Page, text: str) -> Locator:
        """Return the button of the reaction to a message."""

    def read(self, page: Page, text: str) -> Locator:
        """Return what shows that an own message was read."""

    def failed(self, page: Page, text: str) -> Locator:
        """Return what shows that a message was refused, and is clicked to send it again."""

    def send_files(self, page: Page) -> None:
        """Send the files that were chosen."""

    def picture(self, page: Page) -> Locator:
        """Return the picture of a message, once the server has it."""


@dataclass(frozen=True)
class Chatscope:
    """The example with `@chatscope/chat-ui-kit-react`."""

    folder = ROOT / "examples/chatscope"

    def open(self, page: Page, name: str) -> None:
        """Open the conversation with somebody."""
        page.locator(".cs-conversation", has_text=name).click()

    def unread(self, page: Page, name: str) -> Locator:
        """Return the number of unread messages of a conversation."""
        return page.locator(".cs-conversation", has_text=name).locator(".cs-conversation__unread")

    def write(self, page: Page, text: str) -> None:
        """Write a text, and send it."""
        self.type(page, text)
        self._field(page).press("Enter")

    def type(self, page: Page, text: str) -> None:
        """Write a text, and do not send it."""
        self._field(page).fill(text)

    def messages(self, page: Page) -> Locator:
        """Return the contents of the messages."""
        return page.locator(".cs-message__custom-content")

    def typing(self, page: Page) -> Locator:
        """Return what is shown while somebody types."""
        return page.locator(".cs-typing-indicator", has_text="is typing")

    def scroll_up(self, page: Page) -> None:
        """Scroll to the first message."""
        page.locator(".cs-message-list__scroll-wrapper").evaluate("each => each.scrollTo(0, 0)")

    def edit(self, page: Page, text: str, instead: str) -> None:
        """Change the text of an own message."""
        self._message(page, text).get_by_role("button", name="Edit").click()
        self.write(page, instead)

    def delete(self, page: Page, text: str) -> None:
        """Delete an own message."""
        self._message(page, text).get_by_role("button", name="Delete").click()

    def reaction(self, page: Page, text: str) -> Locator:
        """Return the button of the reaction to a message."""
        return self._message(page, text).locator("button[aria-pressed]")

    def read(self, page: Page, text: str) -> Locator:
        """Return what shows that an own message was read."""
        return self._message(page, text).get_by_text("· read")

    def failed(self, page: Page, text: str) -> Locator:
        """Return what shows that a message was refused, and is clicked to send it again."""
        return self._message(page, text).get_by_role("button", name="Send again")

    def send_files(self, page: Page) -> None:
        """Send the files that were chosen: here they are sent at once."""

    def picture(self, page: Page) -> Locator:
        """Return the picture of a message, once the server has it."""
        return page.locator(".cs-message img[src*='/files/']")

    def _message(self, page: Page, text: str) -> Locator:
        return page.locator(".cs-message", has_text=text)

    def _field(self, page: Page) -> Locator:
        return page.locator(".cs-message-input__content-editor")


@dataclass(frozen=True)
class VueAdvancedChat:
    """The example with `vue-advanced-chat`."""

    folder = ROOT / "examples/vue-advanced-chat"

    def open(self, page: Page, name: str) -> None:
        """Open the conversation with somebody."""
        page.locator(".vac-room-item", has_text=name).click()

    def unread(self, page: Page, name: str) -> Locator:
        """Return the number of unread messages of a conversation."""
        return page.locator(".vac-room-item", has_text=name).locator(".vac-room-badge")

    def write(self, page: Page, text: str) -> None:
        """Write a text, and send it."""
        self.type(page, text)
        page.locator("#roomTextarea").press("Enter")

    def type(self, page: Page, text: str) -> None:
        """Write a text, and do not send it."""
        page.locator("#roomTextarea").fill(text)

    def messages(self, page: Page) -> Locator:
        """Return the contents of the messages."""
        return page.locator(".vac-message-card .vac-format-message-wrapper")

    def typing(self, page: Page) -> Locator:
        """Return what is shown while somebody types."""
        return page.locator(".vac-room-header", has_text="is writing")

    def scroll_up(self, page: Page) -> None:
        """Scroll to the first message."""
        page.locator("#messages-list").evaluate("each => each.scrollTo(0, 0)")

    def edit(self, page: Page, text: str, instead: str) -> None:
        """Change the text of an own message."""
        self._choose(page, text, "Edit")
        expect(page.locator("#roomTextarea")).to_have_value(text)
        self.write(page, instead)

    def delete(self, page: Page, text: str) -> None:
        """Delete an own message."""
        self._choose(page, text, "Delete")

    def reaction(self, page: Page, text: str) -> Locator:
        """Return the button of the reaction to a message."""
        return self._message(page, text).locator(".vac-button-reaction")

    def read(self, page: Page, text: str) -> Locator:
        """Return what shows that an own message was read."""
        return self._message(page, text).locator("#vac-icon-double-checkmark-seen")

    def failed(self, page: Page, text: str) -> Locator:
        """Return what shows that a message was refused, and is clicked to send it again."""
        return self._message(page, text).locator(".vac-failure-container")

    def send_files(self, page: Page) -> None:
        """Send the files that were chosen."""
        page.locator("svg:has(#vac-icon-send)").click()

    def picture(self, page: Page) -> Locator:
        """Return the picture of a message, once the server has it."""
        return page.locator(".vac-message-image[style*='/files/']")

    def _choose(self, page: Page, text: str, entry: str) -> None:
        message = self._message(page, text)
        message.locator(".vac-message-card").hover()
        message.locator(".vac-message-options").click()
        message.locator(".vac-menu-item", has_text=re.compile(entry)).click()

    def _message(self, page: Page, text: str) -> Locator:
        return page.locator(".vac-message-wrapper", has_text=text)


KITS: dict[str, Kit] = {"chatscope": Chatscope(), "vue-advanced-chat": VueAdvancedChat()}
