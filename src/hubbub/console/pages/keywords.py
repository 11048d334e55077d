"""Lists of words and patterns that rules refer to, as text or from a file in CSV."""

from functools import partial
from typing import Annotated

import msgspec

from hubbub.console import page
from hubbub.console.page import MODERATORS, ChangeMade, NotConfirmed, PageForm, PageShown, show
from hubbub.console.visit import Visit
from hubbub.domain.moderation.built_in.lists import BUILT_IN_LISTS
from hubbub.domain.moderation.keywords import find, manage
from hubbub.domain.moderation.keywords.manage import GivenTerms, ListChange
from hubbub.domain.moderation.keywords.terms import read_csv, split_terms
from hubbub.domain.moderation.rules.find import list_rules
from hubbub.kernel.errors import BadInput
from hubbub.records.moderation.keywords.model import LARGEST_CSV, LIST_CATEGORIES, KeywordList
from hubbub.rest.moderation.wire.keywords import ListCategory
from hubbub.rest.moderation.wire.rules import ModerationId
from hubbub.rest.wire.shapes import Name, ShortText

KEYWORDS = "/apps/{app}/keywords"
KEYWORD = KEYWORDS + "/{keywords}"
TERMS = "terms"
MOST_SHOWN = 200_000
"""A list with more characters is changed by a file alone: a form could not send them."""
Terms = Annotated[str, msgspec.Meta(max_length=MOST_SHOWN)]


class NewList(PageForm):
    """The list to create."""

    id: ModerationId
    name: Name
    category: ListCategory = "word"
    terms: Terms = ""


class ListForm(PageForm):
    """A list as it shall be."""

    name: Name
    description: ShortText = ""
    terms: Terms = ""


class ListConfirmed(PageForm):
    """The id of the list once more."""

    confirm: Annotated[str, msgspec.Meta(max_length=100)] = ""


def _given(text: str) -> GivenTerms:
    return GivenTerms(TERMS, partial(split_terms, text))


@page.get(KEYWORDS, title="Keyword lists", roles=MODERATORS)
async def list_keywords(visit: Visit, app: str) -> PageShown:
    """List the lists of an app, without their terms."""
    lists = [(each, len(each.read())) for each in await find.list_lists(visit.runtime, app)]
    return show("keywords.html", lists=lists, categories=LIST_CATEGORIES, built_in=BUILT_IN_LISTS)


@page.post(KEYWORDS, roles=MODERATORS, back=KEYWORDS)
async def create_list(visit: Visit, app: str, form: NewList) -> ChangeMade:
    """Create a list."""
    change = ListChange(form.category, form.name, None, _given(form.terms))
    await visit.change(
        "keywords.create",
        form.id,
        lambda runtime: manage.create_list(runtime, app, form.id, change),
        after={"category": form.category},
    )
    return ChangeMade(f"The list {form.id} is created.", to=f"/apps/{app}/keywords/{form.id}")


@page.get(KEYWORD, title="Keyword list", roles=MODERATORS)
async def show_list(visit: Visit, app: str, keywords: str) -> PageShown:
    """Show a list with its terms, and the rules that refer to it."""
    found = await find.get_list(visit.runtime, app, keywords)
    using = [each for each in await list_rules(visit.runtime, app) if keywords in each.read().lists]
    return show(
        "keyword_list.html",
        title=found.name,
        list=found,
        terms="\n".join(found.read()),
        is_long=found.length > MOST_SHOWN // 4,
        rules=using,
        is_built_in=keywords in BUILT_IN_LISTS,
        largest=LARGEST_CSV,
    )


@page.post(KEYWORD, roles=MODERATORS, back=KEYWORD)
async def update_list(visit: Visit, app: str, keywords: str, form: ListForm) -> ChangeMade:
    """Change a list; what is entered replaces its terms, unless nothing is."""
    terms = _given(form.terms) if form.terms.strip() else None
    change = ListChange(None, form.name, form.description, terms)
    after = await _update(visit, keywords, change)
    return ChangeMade(f"The list is changed: it has {len(after.read()):,} terms.")


@page.post(KEYWORD + "/file", roles=MODERATORS, back=KEYWORD, largest_file=LARGEST_CSV)
async def upload_list(visit: Visit, app: str, keywords: str) -> ChangeMade:
    """Replace the terms of a list by the first column of a file in CSV."""
    if not visit.file:
        raise BadInput.field("file", "Choose a file in CSV: its first column has the terms.")
    content = visit.file
    terms = GivenTerms("file", lambda category: read_csv(content, "file"), is_csv=True)
    after = await _update(visit, keywords, ListChange(None, None, None, terms))
    return ChangeMade(f"The file is taken: the list has {len(after.read()):,} terms.")


async def _update(visit: Visit, list_id: str, change: ListChange) -> KeywordList:
    before = await find.get_list(visit.runtime, visit.app, list_id)
    return await visit.change(
        "keywords.update",
        list_id,
        lambda runtime: manage.update_list(runtime, visit.app, list_id, change),
        before={"revision": before.revision, "terms": len(before.read())},
    )


@page.post(KEYWORD + "/delete", roles=MODERATORS, back=KEYWORD)
async def delete_list(visit: Visit, app: str, keywords: str, form: ListConfirmed) -> ChangeMade:
    """Delete a list that no rule refers to."""
    if form.confirm != keywords:
        raise NotConfirmed("confirm", keywords)
    await visit.change(
        "keywords.delete", keywords, lambda runtime: manage.delete_list(runtime, app, keywords)
    )
    return ChangeMade(f"The list {keywords} is deleted.", to=f"/apps/{app}/keywords")
