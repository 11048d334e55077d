"""`hubbub openapi`: print the contract."""

import json

from hubbub.rest import all_operations
from hubbub.rest.openapi import build_document

DECLARED = all_operations


def openapi() -> None:
    """Print the interface's OpenAPI 3.1 document."""
    print(json.dumps(build_document(), indent=2, ensure_ascii=False))
