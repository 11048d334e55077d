"""The page at `/`: that a server runs here, and where to go on."""

import hubbub
from hubbub.http.contract.reference_page.assets import ICON, SCRIPT, STYLESHEET
from hubbub.http.contract.reference_page.markup import document, el

LINKS = (
    ("/docs", "Reference", "Every operation, with its fields, limits, errors and an example."),
    ("/v3/openapi.json", "OpenAPI document", "The same for programs: OpenAPI 3.1."),
    ("/health/ready", "Ready?", "Whether the store answers."),
    ("/health/live", "Live?", "Whether the process answers."),
)


def landing_page() -> str:
    """The page."""
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
                "A self-hosted chat backend. It runs, and this is version ",
                hubbub.__version__,
                ".",
            ),
            el("ul", links),
            class_="landing",
        ),
    )
