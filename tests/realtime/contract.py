"""Validate what clients of the realtime protocol say and hear against the AsyncAPI document."""

import json
from functools import cache
from typing import Any

from jsonschema import Draft7Validator, validators
from tests.contract import ContractBroken, closed, fit_one

from hubbub.config import Settings
from hubbub.realtime.contract.document import CHANNEL, build_asyncapi
from hubbub.realtime.contract.schemas import camel

Frame = dict[str, Any]
Validator = validators.extend(Draft7Validator, {"oneOf": fit_one})


class RealtimeContract:
    """The document: for the server in closed form, so frames have the described fields alone."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.messages: dict[str, Any] = document["components"]["messages"]
        self.channel: dict[str, Any] = document["channels"][CHANNEL]
        self._closed = closed(document["components"]["schemas"])
        self._validators: dict[str, Any] = {}

    def check(self, frame: Frame, asked: Frame | None) -> None:
        """Validate a frame of the server, and what it was an answer to if that was accepted.

        Raises:
            ContractBroken: one of them does not conform.
        """
        name = self._name_of(frame, asked)
        if name not in self.messages:
            raise ContractBroken(f"{frame}: heard, and not documented")
        if name not in self._validators:
            schema = closed(self.messages[name]["payload"])
            components = {"schemas": self._closed}
            self._validators[name] = Validator({**schema, "components": components})
        fault = next(self._validators[name].iter_errors(frame), None)
        if fault is not None:
            raise ContractBroken(f"{frame}\n{fault.json_path}: {fault.message}")
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
        schema = self.messages[name]["payload"]
        validator = Validator({**schema, "components": self.document["components"]})
        fault = next(validator.iter_errors(frame), None)
        return f"{fault.json_path}: {fault.message}" if fault is not None else None

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
