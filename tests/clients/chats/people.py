"""People of a test, and what they do over REST."""

import itertools
import os
from dataclasses import dataclass
from typing import Any

import httpx2

_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Person:
    """A user, with a name that pages show."""

    uid: str
    name: str


class People:
    """Makes users of the demo app, and acts for them."""

    def __init__(self, url: str, key: str) -> None:
        self.url = url
        self.key = key

    def create(self, name: str) -> Person:
        """Create a user of whom no other test knows."""
        uid = f"{name.lower()}-{os.getpid()}-{next(_NUMBERS)}"
        self.call("POST", "/users", {"uid": uid, "name": name})
        return Person(uid, name)

    def token(self, person: Person) -> str:
        """Return a new auth token of a user."""
        return str(self.call("POST", f"/users/{person.uid}/auth_tokens")["authToken"])

    def call(self, method: str, path: str, body: Any = None, *, by: Person | None = None) -> Any:
        """Make a call with the app's key, on behalf of somebody; return its data."""
        headers = {"apikey": self.key, **({"onBehalfOf": by.uid} if by else {})}
        with httpx2.Client(base_url=f"{self.url}/v3", trust_env=False, timeout=60) as client:
            answer = client.request(method, path, json=body, headers=headers)
        assert answer.is_success, answer.text
        return answer.json().get("data")

    def write(self, text: str, *, by: Person, to: Person) -> str:
        """Send a text from one person to another; return its id."""
        body = {"receiver": to.uid, "receiverType": "user", "data": {"text": text}}
        return str(self.call("POST", "/messages", body, by=by)["id"])

    def texts(self, reader: Person, other: Person) -> list[str]:
        """Return the texts of a conversation, the oldest first."""
        page = self.call("GET", f"/users/{other.uid}/messages?affix=prepend&limit=1000", by=reader)
        return [each["data"].get("text") for each in page if each["category"] == "message"]
