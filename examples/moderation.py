"""Run a moderation case through the REST interface, with the users' own auth tokens.

A participant floods a group with advertisements and has no rights over the moderator who asks for
an end. The moderator kicks the participant, who joins again and goes on. An admin bans the
participant, who now cannot come back: not by joining, not by writing, not by being added. At last
the ban is lifted.

Each run has its own group and users, with a number in their ids. The script prints the answer to
each call, and ends with exit code 1 if an answer was not the expected one.
"""

import argparse
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx

Json = dict[str, Any]


class Unexpected(Exception):
    """The answer to a call was not the expected one."""


@dataclass(frozen=True, slots=True)
class Person:
    """A user who calls with an auth token; or the app's own server, with its key."""

    server: httpx.Client
    name: str
    uid: str
    headers: dict[str, str]

    def does(
        self, action: str, method: str, path: str, body: Json | None = None, *, refused: str = ""
    ) -> Any:
        """Make a call, print its outcome, and return its data.

        Raises:
            Unexpected: it was refused, or not refused with the expected code.
        """
        answer = self.server.request(method, path, json=body or {}, headers=self.headers)
        content = answer.json()
        code = content.get("error", {}).get("code", "")
        print(f"{self.name:9} {action:52} {answer.status_code} {code or 'done'}")
        if code != refused:
            wanted = refused or "success"
            raise Unexpected(f"{method} {path} should have answered {wanted}: {content}")
        return content.get("data")


def gather(server: httpx.Client, app_key: str, run: str) -> list[Person]:
    """Create the app's server and four users with their tokens: Olga, Noah, Mia and Sven."""
    app = Person(server, "the app", "app_system", {"apikey": app_key})
    people = [app]
    for name in ("Olga", "Noah", "Mia", "Sven"):
        uid = f"{name.lower()}-{run}"
        profile = {"uid": uid, "name": name, "withAuthToken": True}
        made = app.does(f"makes {name}", "POST", "/users", profile)
        people.append(Person(server, name, uid, {"authToken": made["authToken"]}))
    return people


def play(server: httpx.Client, app_key: str) -> None:
    """Run the case from its beginning to its end.

    Raises:
        Unexpected: an answer was not the expected one.
    """
    run = secrets.token_hex(4)
    guid = f"hikers-{run}"
    app, olga, noah, mia, sven = gather(server, app_key, run)
    members, bans = f"/groups/{guid}/members", f"/groups/{guid}/bannedusers"
    advertisement = {"receiver": guid, "receiverType": "group", "data": {"text": "Cheap boots!"}}

    group = {"guid": guid, "name": "Hikers", "type": "public"}
    olga.does("makes a group, which is hers", "POST", "/groups", group)
    added = {"moderators": [noah.uid], "participants": [mia.uid]}
    olga.does("adds Noah, a moderator, and Mia", "POST", members, added)
    sven.does("joins", "POST", members)
    sven.does("advertises", "POST", "/messages", advertisement)
    noah.does("reads what was said", "GET", f"/groups/{guid}/messages")

    sven.does(
        "tries to kick Noah", "DELETE", f"{members}/{noah.uid}", refused="ERR_GROUP_NO_CLEARANCE"
    )
    mia.does(
        "may not kick Sven either",
        "DELETE",
        f"{members}/{sven.uid}",
        refused="ERR_GROUP_NO_CLEARANCE",
    )
    noah.does("kicks Sven", "DELETE", f"{members}/{sven.uid}")
    sven.does(
        "can't write any more", "POST", "/messages", advertisement, refused="ERR_GROUP_NOT_JOINED"
    )
    sven.does("joins again", "POST", members)
    sven.does("advertises again", "POST", "/messages", advertisement)

    noah.does(
        "can't ban Olga, who owns the group",
        "POST",
        f"{bans}/{olga.uid}",
        refused="ERR_GROUP_NO_CLEARANCE",
    )
    olga.does("bans Sven", "POST", f"{bans}/{sven.uid}")
    sven.does("can't come back", "POST", members, refused="ERR_BANNED_GROUPMEMBER")
    sven.does(
        "can't write either", "POST", "/messages", advertisement, refused="ERR_BANNED_GROUPMEMBER"
    )
    outcomes = app.does("can't add Sven", "POST", members, {"participants": [sven.uid]})
    if outcomes["participants"][sven.uid]["error"]["code"] != "ERR_BANNED_GROUPMEMBER":
        raise Unexpected(f"Sven was added: {outcomes}")
    banned = [row["uid"] for row in noah.does("looks who is banned", "GET", bans)]
    if banned != [sven.uid]:
        raise Unexpected(f"these are banned: {banned}")

    noah.does("lifts the ban", "DELETE", f"{bans}/{sven.uid}")
    sven.does("joins, and behaves", "POST", members)
    history = app.does("reads the group's history", "GET", f"/groups/{guid}/messages")
    actions = [row["data"]["action"] for row in history if row["category"] == "action"]
    print("\nActions in the group's history:", ", ".join(actions))


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="where the server is")
    parser.add_argument("--app", required=True, help="the app to use")
    parser.add_argument("--key", required=True, help="an API key of that app, scope fullAccess")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the case; return the exit code."""
    asked = read_arguments(arguments)
    with httpx.Client(base_url=f"{asked.url}/v3", headers={"appId": asked.app}) as server:
        try:
            play(server, asked.key)
        except Unexpected as fault:
            print(f"\nThat was not expected. {fault}", file=sys.stderr)
            return 1
        except httpx.HTTPError as fault:
            print(f"\nThe server at {asked.url} can't be reached: {fault}", file=sys.stderr)
            return 1
    print("Everything went as expected.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
