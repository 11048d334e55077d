"""The first page: what is wrong, since when, and what to do."""

from hubbub.console import page
from hubbub.console.page import ALL, PageShown, show
from hubbub.console.troubles import find_troubles
from hubbub.console.visit import Visit


@page.get("", title="Overview", roles=ALL)
async def show_home(visit: Visit) -> PageShown:
    """Show what is wrong."""
    return show("home.html", troubles=await find_troubles(visit))


@page.get("/troubles", title="What is wrong", roles=ALL, is_live=True)
async def show_troubles(visit: Visit) -> PageShown:
    """Show the same as a part, which an open page asks for."""
    return show("troubles.html", troubles=await find_troubles(visit))
