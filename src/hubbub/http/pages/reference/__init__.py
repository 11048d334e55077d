"""The pages that people read: the landing page at `/`, and the API reference at `/docs`."""

from hubbub.http.pages.reference.document import make_reference_document
from hubbub.http.pages.reference.files import FILES, File, landing_page

__all__ = ["FILES", "File", "landing_page", "make_reference_document"]
