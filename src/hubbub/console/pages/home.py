"""The first page."""

from hubbub.console import page
from hubbub.console.page import ALL, PageShown, show
from hubbub.console.visit import Visit


@page.get("", title="Overview", roles=ALL)
async def show_home(visit: Visit) -> PageShown:
    """Show where to go on."""
    return show("home.html")
