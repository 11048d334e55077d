"""The page that the link in an e-mail leads to, by which a person ends such e-mails.

A mail program may end them by itself with one POST (RFC 8058). A GET changes nothing, because
programs that look for malware follow links.
"""

from collections.abc import Sequence
from html import escape

from hubbub.domain.notifications.unsubscribe import (
    PATH,
    Subscriber,
    begin_digests,
    end_digests,
    read_link,
)
from hubbub.http.answer import Answer
from hubbub.http.request import Request
from hubbub.http.routes import Routes
from hubbub.runtime import Runtime

HTML = "text/html; charset=utf-8"
AGAIN = "/again"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>E-mails about unread messages</title>
<style>
:root {{ color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif }}
body {{ max-width: 32rem; margin: 15vh auto 0; padding: 0 1.5rem }}
button {{ font: inherit; padding: .5rem 1.25rem; border-radius: .5rem; cursor: pointer }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{text}</p>
{form}
</body>
</html>
"""
_FORM = '<form method="post" action="{action}"><button>{label}</button></form>'


def add_unsubscribing(routes: Routes, runtime: Runtime) -> None:
    """Add the routes of the page."""
    page = UnsubscribePage(runtime)
    routes.add(PATH + "/{token}", "GET", page.ask)
    routes.add(PATH + "/{token}", "POST", page.end)
    routes.add(PATH + "/{token}" + AGAIN, "POST", page.begin)


class UnsubscribePage:
    """The page of the link, and what its buttons do."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def ask(self, _: Request, values: Sequence[str]) -> Answer:
        """Ask whether the person wants no more e-mails."""
        if self._subscriber(values) is None:
            return _unknown()
        form = _form(values[0], "Unsubscribe")
        return _page(
            "Unsubscribe?", "You would get no more e-mails about messages that you missed.", form
        )

    async def end(self, _: Request, values: Sequence[str]) -> Answer:
        """End the e-mails to the person."""
        subscriber = self._subscriber(values)
        if subscriber is None:
            return _unknown()
        await end_digests(self._runtime, subscriber)
        form = _form(values[0] + AGAIN, "Subscribe again")
        return _page(
            "Unsubscribed", "You get no more e-mails about messages that you missed.", form
        )

    async def begin(self, _: Request, values: Sequence[str]) -> Answer:
        """Begin the e-mails to the person again."""
        subscriber = self._subscriber(values)
        if subscriber is None:
            return _unknown()
        await begin_digests(self._runtime, subscriber)
        return _page("Subscribed", "You get e-mails about messages that you missed again.", "")

    def _subscriber(self, values: Sequence[str]) -> Subscriber | None:
        return read_link(self._runtime, values[0])


def _unknown() -> Answer:
    text = "It may not have been copied whole."
    return _page("This link is not valid", text, "", status=404)


def _form(target: str, label: str) -> str:
    return _FORM.format(action=escape(f"{PATH}/{target}"), label=escape(label))


def _page(title: str, text: str, form: str, *, status: int = 200) -> Answer:
    body = _PAGE.format(title=escape(title), text=escape(text), form=form).encode()
    answer = Answer(body, status=status, content_type=HTML)
    for name, value in HEADERS.items():
        answer.set_header(name, value)
    return answer
