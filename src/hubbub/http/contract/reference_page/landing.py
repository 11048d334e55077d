"""The page at `/`: the version of the server, and links."""

import hubbub
from hubbub.http.contract.reference_page.assets import ICON, SCRIPT, STYLESHEET
from hubbub.http.contract.reference_page.markup import document, el

LINKS = (
    ("/docs", "Reference", "Every operation, with its fields, limits, errors and an example."),
    ("/v3/openapi.json", "OpenAPI document", "The same for programs, as OpenAPI 3.1."),
    ("/health/ready", "Ready", "Checks that the database answers."),
    ("/health/live", "Live", "Checks that the process answers."),
)


def landing_page() -> str:
    """Return the page as HTML."""
    links = [
        el("li", el("a", el("strong", name), el("span", about), href=path))
        for path, name, about in LINKS
    ]
    return document(
        title="Hubbub",
        stylesheet=STYLESHEET,
        script=SCRIPT,
        icon=ICON,
        body=el(
            "main",
            el("h1", "Hubbub"),
            el(
                "p",
                "A self-hosted chat backend. This server runs version ",
                hubbub.__version__,
                ".",
            ),
            el("ul", links),
            class_="landing",
        ),
    )
