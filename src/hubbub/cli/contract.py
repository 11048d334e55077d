"""`hubbub openapi`: print the contract."""

import json

from hubbub.http.contract.openapi import build_document
from hubbub.rest.operations import OPERATIONS


def openapi() -> None:
    """Print the interface's OpenAPI 3.1 document."""
    print(json.dumps(build_document(OPERATIONS), indent=2, ensure_ascii=False))
