"""The pages that people read: the landing page at `/`, and the API reference at `/docs`."""

from hubbub.http.pages.reference.files import FILES, File, landing_page
from hubbub.http.pages.reference.page import make_reference

__all__ = ["FILES", "File", "landing_page", "make_reference"]
