"""`hubbub openapi` and `hubbub asyncapi`: print the documents of the interface."""

import json

from hubbub.config import Settings
from hubbub.http.contract.openapi import build_document
from hubbub.realtime.contract.document import build_asyncapi
from hubbub.rest.operations import OPERATIONS


def openapi() -> None:
    """Print the OpenAPI 3.1 document of the API."""
    print(json.dumps(build_document(OPERATIONS), indent=2, ensure_ascii=False))


def asyncapi() -> None:
    """Print the AsyncAPI 3.0 document of the sockets."""
    print(json.dumps(build_asyncapi(Settings()), indent=2, ensure_ascii=False))
