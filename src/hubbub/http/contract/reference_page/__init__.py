"""The reference page at `/docs` and the landing page at `/`, made of the OpenAPI document."""

from hubbub.http.contract.reference_page.assets import ASSETS, Asset
from hubbub.http.contract.reference_page.landing import landing_page
from hubbub.http.contract.reference_page.page import reference_page

__all__ = ["ASSETS", "Asset", "landing_page", "reference_page"]
