"""Validate every answer that a test receives against the OpenAPI document."""

import re
from functools import cache, cached_property
from typing import Any

from jsonschema_rs import (
    Draft7Validator,
    Draft202012,
    Draft202012Validator,
    Registry,
    ValidationError,
)
from tests.wire import Answer, Asked

from hubbub.http.contract.openapi import build_document
from hubbub.rest.operations import OPERATIONS

PREFIX = re.compile(r"/v3(\.0)?(?=/)")
PAGES = re.compile(
    r"/|/v3(\.0)?/(openapi|asyncapi)\.json|/health/\w+|/docs.*|/metrics|/files/.*"
    r"|/v3/notifications/email/v1/(unsubscribe/.*|sendgrid/replies)"
)
"""Paths that are served beside the interface and that the document does not describe."""

COMPONENTS = "urn:components"
UNKNOWN = ("ERR_API_NOT_FOUND", "ERR_INVALID_API_VERSION")
"""The codes of paths that are not part of the interface."""


class ContractBroken(AssertionError):
    """The server's answer does not conform to its own document."""


class Contract:
    """The document in closed form: an object may have only the described fields."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self._components = registry_of(closed(document["components"]))
        self._known: dict[str, str | None] = {}
        """The templates of paths that were asked for: most are, many times."""
        self._validators: dict[tuple[str, str, int], Draft202012Validator] = {}
        self._payloads: dict[str, Draft202012Validator] = {}
        self._events: dict[str, Draft202012Validator] = {}

    @cached_property
    def _templates(self) -> list[tuple[re.Pattern[str], str]]:
        paths = sorted(self.document["paths"], key=lambda path: (path.count("{"), path))
        return [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), path) for path in paths]

    @cached_property
    def _error(self) -> Draft202012Validator:
        problem = {"$ref": "#/components/schemas/Problem"}
        return self._validator({"type": "object", "properties": {"error": problem}})

    def template_of(self, path: str) -> str | None:
        """Return the documented path template that `path` matches."""
        if path not in self._known:
            bare = PREFIX.sub("", path, count=1).rstrip("/")
            fitting = (name for form, name in self._templates if form.fullmatch(bare))
            self._known[path] = next(fitting, None)
        return self._known[path]

    def check(self, asked: Asked, answer: Answer) -> None:
        """Validate an answer against the document.

        Raises:
            ContractBroken: it does not conform, or it is a 500.
        """
        if answer.status >= 500 and answer.status != 503:
            raise ContractBroken(f"{asked}: {answer}")
        if "x-request-id" not in answer.headers:
            raise ContractBroken(f"{asked}: no X-Request-Id in {answer}")
        path = asked.target.partition("?")[0]
        if asked.method in {"OPTIONS", "HEAD"} or PAGES.fullmatch(path):
            return
        if answer.headers.get("content-type") != "application/json":
            raise ContractBroken(f"{asked}: no JSON in {answer}")
        fault = find_fault(self._validator_for(asked, path, answer), answer.json)
        if fault:
            raise ContractBroken(f"{asked}: {answer}\n{fault}")
        self._check_code(asked, path, answer)

    def _check_code(self, asked: Asked, path: str, answer: Answer) -> None:
        """Check that the code of an error is among the examples of its answer."""
        template = self.template_of(path)
        operation = self.document["paths"].get(template, {}).get(asked.method.lower())
        if operation is None or answer.status == 200 or answer.json["error"]["code"] in UNKNOWN:
            return
        codes = self.codes_of(operation["responses"][str(answer.status)])
        if answer.json["error"]["code"] not in codes:
            raise ContractBroken(
                f"{asked}: the code of {answer} is not documented. Add its class to `errors` of the"
                " operation's declaration, or its code to `codes`."
            )

    def codes_of(self, answer: Any) -> list[str]:
        """Return the codes that an answer to errors can have."""
        return list(self.resolve(answer)["content"]["application/json"]["examples"])

    def check_payload(self, trigger: str, data: Any) -> None:
        """Validate the data that a webhook is sent for a trigger.

        Raises:
            ContractBroken: it does not conform, or the trigger is not documented.
        """
        if trigger not in self.document["webhooks"]:
            raise ContractBroken(f"{trigger}: rendered, and not documented")
        if trigger not in self._payloads:
            body = self.document["webhooks"][trigger]["post"]["requestBody"]
            call = self.resolve(body["content"]["application/json"]["schema"])
            self._payloads[trigger] = self._validator(closed(call["properties"]["data"]))
        fault = find_fault(self._payloads[trigger], data)
        if fault:
            raise ContractBroken(f"{trigger}: {data}\n{fault}")

    def check_event(self, event: str, data: Any) -> None:
        """Validate the data of an event.

        Raises:
            ContractBroken: it does not conform, or the event is not documented.
        """
        if event not in self.document["x-events"]:
            raise ContractBroken(f"{event}: rendered, and not documented")
        if event not in self._events:
            self._events[event] = self._validator(closed(self.document["x-events"][event]["data"]))
        fault = find_fault(self._events[event], data)
        if fault:
            raise ContractBroken(f"{event}: {data}\n{fault}")

    def _validator_for(self, asked: Asked, path: str, answer: Answer) -> Draft202012Validator:
        template = self.template_of(path)
        if answer.status == 404 and answer.json["error"]["code"] in UNKNOWN:
            return self._error
        operation = self.document["paths"].get(template, {}).get(asked.method.lower())
        if template is None or operation is None:
            if answer.status == 200:
                raise ContractBroken(f"{asked}: served, and not documented")
            return self._error
        place = (template, asked.method, answer.status)
        if place not in self._validators:
            described = self.resolve(operation["responses"].get(str(answer.status)))
            if described is None:
                raise ContractBroken(f"{asked}: {answer.status} is not documented: {answer}")
            schema = described["content"]["application/json"]["schema"]
            self._validators[place] = self._validator(closed(schema))
        return self._validators[place]

    def operation(self, path: str, method: str) -> dict[str, Any]:
        """Return an operation with what it shares with others in place of references."""
        described = self.document["paths"][path][method.lower()]
        responses = {
            status: self.resolve(answer) for status, answer in described["responses"].items()
        }
        parameters = [self.resolve(parameter) for parameter in described["parameters"]]
        return {**described, "parameters": parameters, "responses": responses}

    def resolve(self, part: Any) -> Any:
        """Return a part of the document, or the component that it refers to."""
        if part is None or "$ref" not in part:
            return part
        kind, name = part["$ref"].split("/")[-2:]
        return self.document["components"][kind][name]

    def _validator(self, schema: dict[str, Any]) -> Draft202012Validator:
        return Draft202012Validator(relocated(schema), registry=self._components)


def registry_of(components: dict[str, Any], draft: int = Draft202012) -> Registry:
    """Return components to which schemas can refer: a copy in each would take megabytes."""
    return Registry([(COMPONENTS, {"components": components})], draft=draft)


def relocated(schema: Any) -> Any:
    """Return a schema that refers to the components of a registry instead of its own."""
    if isinstance(schema, list):
        return [relocated(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: f"{COMPONENTS}{item}" if name == "$ref" else relocated(item)
        for name, item in schema.items()
    }


def find_fault(validator: Draft202012Validator | Draft7Validator, value: Any) -> str:
    """Return where a value does not fit, and why; or ""."""
    try:
        validator.validate(value)
    except ValidationError as fault:
        return f"{'/'.join(map(str, fault.instance_path))}: {fault.message}"
    return ""


def closed(schema: Any) -> Any:
    """Return a copy of the schema whose objects allow no other fields."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {name: closed(item) for name, item in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        schema.setdefault("additionalProperties", False)
    return schema


@cache
def load_contract() -> Contract:
    """Return the contract of this version."""
    return Contract(build_document(OPERATIONS))
