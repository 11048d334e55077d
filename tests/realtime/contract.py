"""Validate what clients of the realtime protocol say and hear against the AsyncAPI document."""

import json
from functools import cache
from typing import Any

from jsonschema_rs import Draft7, Draft7Validator
from tests.contract import ContractBroken, closed, find_fault, registry_of, relocated

from hubbub.config import Settings
from hubbub.realtime.contract.document import CHANNEL, build_asyncapi
from hubbub.realtime.contract.schemas import camel

Frame = dict[str, Any]


class RealtimeContract:
    """The document: for the server in closed form, so frames have the described fields alone."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.messages: dict[str, Any] = document["components"]["messages"]
        self.channel: dict[str, Any] = document["channels"][CHANNEL]
        components = document["components"]
        self._components = registry_of(components, Draft7)
        self._closed = registry_of({"schemas": closed(components["schemas"])}, Draft7)
        self._validators: dict[str, Draft7Validator] = {}
        self._of_clients: dict[str, Draft7Validator] = {}

    def check(self, frame: Frame, asked: Frame | None) -> None:
        """Validate a frame of the server, and what it was an answer to if that was accepted.

        Raises:
            ContractBroken: one of them does not conform.
        """
        name = self._name_of(frame, asked)
        if name not in self.messages:
            raise ContractBroken(f"{frame}: heard, and not documented")
        if name not in self._validators:
            schema = relocated(closed(self.messages[name]["payload"]))
            self._validators[name] = Draft7Validator(schema, registry=self._closed)
        fault = find_fault(self._validators[name], frame)
        if fault:
            raise ContractBroken(f"{frame}\n{fault}")
        if asked is not None and (name == "Connected" or name.endswith("Reply")):
            said = "Connect" if name == "Connected" else f"{camel(asked['method'])}Call"
            undocumented = self.find_fault(said, without_nulls(asked))
            if undocumented:
                raise ContractBroken(f"{asked}: accepted, and not documented: {undocumented}")

    def check_close(self, code: int) -> None:
        """Check that a code with which the server closes is documented.

        Raises:
            ContractBroken: it is not.
        """
        if code not in {each["code"] for each in self.channel["x-close-codes"]}:
            raise ContractBroken(f"{code}: closed with it, and not documented")

    def find_fault(self, name: str, frame: Any) -> str | None:
        """Return what is wrong with a client's frame by the document, or None."""
        if name not in self._of_clients:
            schema = relocated(self.messages[name]["payload"])
            self._of_clients[name] = Draft7Validator(schema, registry=self._components)
        return find_fault(self._of_clients[name], frame) or None

    def _name_of(self, frame: Frame, asked: Frame | None) -> str:
        """Return the name of the message that a frame of the server is."""
        match frame["op"]:
            case "event":
                return camel(frame["event"])
            case "reply":
                method = camel(str((asked or {}).get("method")))
                if f"{method}Call" not in self.messages:
                    return "Refused"
                return f"{method}{'Refused' if 'error' in frame else 'Reply'}"
            case "ping":
                return "ServerPing"
            case op:
                return camel(op)


def without_nulls(value: Any) -> Any:
    """Return a frame without fields that are null, which means that they are absent."""
    if not isinstance(value, dict):
        return value
    return {name: without_nulls(each) for name, each in value.items() if each is not None}


@cache
def load_realtime_contract() -> RealtimeContract:
    """Return the contract of this version."""
    return RealtimeContract(json.loads(json.dumps(build_asyncapi(Settings()))))
