"""What the console reads of a request: its cookies, its form, where it comes from."""

from collections.abc import Collection, Mapping
from urllib.parse import parse_qsl, urlencode, urlsplit

from hubbub.config import Settings, split_list
from hubbub.http.decoding.forms import FILE, read_fields
from hubbub.http.request import Request
from hubbub.http.rules import is_loopback
from hubbub.kernel.errors import BadInput, Forbidden

LARGEST_FORM = 256 * 1024
MOST_FIELDS = 200
FORM = b"application/x-www-form-urlencoded"


class NotOfThisSite(Forbidden):
    """The form was not sent by a page of the console."""

    def __init__(self) -> None:
        super().__init__(
            "This form was not sent by a page of the console that you are signed in at."
            " Reload the page, then try again."
        )


def read_cookies(request: Request) -> Mapping[str, str]:
    """Return the cookies of a request; one that others on this host set, and malformed, is none."""
    pairs = (each.partition("=") for each in (request.header(b"cookie") or "").split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs}


async def read_form(request: Request) -> str:
    """Return what a form sends, still encoded.

    Raises:
        BadInput: it is no form, or not UTF-8.
        TooLarge: it has too many bytes.
    """
    body = b"".join([piece async for piece in request.pieces_up_to(LARGEST_FORM)])
    if body and request.media_type != FORM:
        raise BadInput("A form is sent as application/x-www-form-urlencoded.")
    try:
        return body.decode("ascii")
    except UnicodeDecodeError:
        raise BadInput("The form is not encoded as forms are.") from None


async def read_form_with_file(
    request: Request, names: Collection[str], *, largest: int
) -> tuple[str, bytes]:
    """Return the fields of a form, encoded as those of one without a file, and its file.

    Raises:
        BadInput: it is malformed, or its file is too large.
    """
    if not request.is_form:
        return await read_form(request), b""
    if (request.content_length or 0) > largest + LARGEST_FORM:
        raise BadInput.field(FILE, f"The file may have at most {largest:,} bytes.")
    found = await read_fields(request, {*names, FILE}, largest=largest + 1, with_files=True)
    file = found.pop(FILE, b"")
    if len(file) > largest:
        raise BadInput.field(FILE, f"The file may have at most {largest:,} bytes.")
    return urlencode(found), file


def fields_of(encoded: str) -> dict[str, str]:
    """Return the fields of a form; of several with one name the last.

    Raises:
        BadInput: it has too many fields, or is not UTF-8.
    """
    try:
        pairs = parse_qsl(
            encoded, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except (UnicodeDecodeError, ValueError):
        raise BadInput("The form is not UTF-8, or has too many fields.") from None
    return dict(pairs)


def check_origin(request: Request) -> None:
    """Refuse what a page of another site has a browser send.

    Raises:
        NotOfThisSite: it is so.
    """
    site = request.header(b"sec-fetch-site")
    if site is not None:
        if site != "same-origin":
            raise NotOfThisSite
        return
    origin = request.header(b"origin")
    if origin is None:  # no browser, so nobody's cookies are sent unasked
        return
    try:
        host = urlsplit(origin).netloc
    except ValueError:
        raise NotOfThisSite from None
    if host != request.header(b"host"):
        raise NotOfThisSite


def find_client(request: Request, settings: Settings) -> str:
    """Return the address of the client: what a trusted proxy says, or the other end itself."""
    proxies = set(split_list(settings.trusted_proxies))
    hops = [each.strip() for each in (request.header(b"x-forwarded-for") or "").split(",")]
    client = request.client
    while client in proxies and hops and hops[-1]:
        client = hops.pop()
    return client[:64]


def needs_secure_cookie(request: Request) -> bool:
    """Return whether a cookie may only be sent over HTTPS: always, but on this machine."""
    forwarded = (request.header(b"x-forwarded-proto") or "").lower()
    return request.is_secure or "https" in forwarded or not is_loopback(request.client)
