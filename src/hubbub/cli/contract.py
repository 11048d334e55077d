"""`hubbub openapi` and `hubbub asyncapi`: print the documents of the interface.

What declares the interface is imported when it is printed: that takes half a second, which other
commands need not wait for.
"""

# ruff: noqa: PLC0415

import json

from hubbub.config import Settings


def openapi() -> None:
    """Print the OpenAPI 3.1 document of the API."""
    from hubbub.http.contract.openapi import build_document
    from hubbub.rest.operations import OPERATIONS

    print(json.dumps(build_document(OPERATIONS), indent=2, ensure_ascii=False))


def asyncapi() -> None:
    """Print the AsyncAPI 3.0 document of the sockets."""
    from hubbub.realtime.contract.document import build_asyncapi

    print(json.dumps(build_asyncapi(Settings()), indent=2, ensure_ascii=False))
