"""The routes of the document, and of the page that people read."""

from hubbub.config import Settings
from hubbub.http.answer import JSON
from hubbub.http.operation import PREFIXES
from hubbub.http.pages.content import CompressedContent
from hubbub.http.pages.site import HTML, SECURITY_HEADERS
from hubbub.http.routes import Routes
from hubbub.realtime.contract.document import make_asyncapi
from hubbub.realtime.contract.page import make_page


def add_realtime_contract(routes: Routes, settings: Settings) -> None:
    """Add the routes of the AsyncAPI document and its page."""
    cors = {"Access-Control-Allow-Origin": "*"}
    document = CompressedContent(JSON, lambda: make_asyncapi(settings), headers=cors)
    for prefix in PREFIXES:
        routes.add(f"{prefix}/asyncapi.json", "GET", document)
    page = CompressedContent(HTML, lambda: make_page(settings), headers=SECURITY_HEADERS)
    routes.add("/docs/realtime", "GET", page)
