"""`hubbub openapi`: print the OpenAPI document."""

import json

from hubbub.http.contract.openapi import build_document
from hubbub.rest.operations import OPERATIONS


def openapi() -> None:
    """Print the OpenAPI 3.1 document of the API."""
    print(json.dumps(build_document(OPERATIONS), indent=2, ensure_ascii=False))
