"""`/moderation/keywords`: read the request, call the domain, write the answer."""

from functools import partial

from hubbub.domain.moderation.keywords import find, manage
from hubbub.domain.moderation.keywords.manage import GivenTerms
from hubbub.domain.moderation.keywords.terms import read_csv
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.kernel.errors import BadInput
from hubbub.kernel.pages import page_of
from hubbub.records.attachments.model import path_of
from hubbub.records.moderation.keywords.model import (
    LARGEST_CSV,
    KeywordAlreadyExists,
    KeywordDeleteDenied,
    KeywordInUse,
    KeywordNotFound,
    ListsTooLong,
    TooManyLists,
)
from hubbub.rest.moderation.rules import TAG
from hubbub.rest.moderation.wire import keywords as wire
from hubbub.rest.moderation.wire.keywords import KeywordListShape, list_shape
from hubbub.rest.moderation.wire.lists import (
    ModerationListing,
    ModerationQuery,
    moderation_listing,
)
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import SuccessMessage

LISTS = "/moderation/keywords"
LIST = "/moderation/keywords/{keywordId}"
FILE = "file"


@operation.post(
    LISTS,
    tag=TAG,
    name="create_rule_keyword",
    takes_files=True,
    errors=(KeywordAlreadyExists, TooManyLists, ListsTooLong),
)
async def create_list(call: Call, body: wire.GivenList) -> KeywordListShape:
    """Create a list of words, patterns or sentences, which conditions can refer to.

    Give `category` and `searchTerms` (`disallowedSentences` for sentences), or, in a form, a `file`
    in CSV, whose first column is read. A list has at most 10,000 terms of 100 characters; an app
    has at most 25 lists besides the built-in ones.
    """
    change = body.change(await _read_file(call))
    created = await manage.create_list(call.runtime, call.app_id, body.id, change)
    return list_shape(call.app_id, created)


@operation.get(LISTS, tag=TAG, name="list_rule_keywords")
async def list_lists(call: Call, query: ModerationQuery) -> ModerationListing[KeywordListShape]:
    """List the lists with their terms: the app's own, newest first, then the built-in ones.

    Those that are built in have `default`.
    """
    lists = await find.list_lists(call.runtime, call.app_id)
    page = page_of(lists, query.request())
    return moderation_listing(page, [list_shape(call.app_id, each) for each in page.items])


@operation.get(LIST, tag=TAG, name="get_rule_keyword", errors=(KeywordNotFound,))
async def get_list(call: Call, keyword_id: path.KeywordId) -> KeywordListShape:
    """Get a list with its terms.

    It is the newest revision, which is the one that rules use.
    """
    return list_shape(call.app_id, await find.get_list(call.runtime, call.app_id, keyword_id))


@operation.put(
    LIST,
    tag=TAG,
    name="update_rule_keyword",
    takes_files=True,
    errors=(KeywordNotFound, KeywordInUse, ListsTooLong),
)
async def update_list(
    call: Call, keyword_id: path.KeywordId, body: wire.GivenList
) -> KeywordListShape:
    """Change a list, also a built-in one; fields that are absent keep their values.

    Given terms replace all that it has. Each change makes a revision, which the rules that refer to
    it use from now on.
    """
    change = body.change(await _read_file(call))
    updated = await manage.update_list(call.runtime, call.app_id, keyword_id, change)
    return list_shape(call.app_id, updated)


@operation.delete(
    LIST,
    tag=TAG,
    name="delete_rule_keyword",
    errors=(KeywordNotFound, KeywordInUse, KeywordDeleteDenied),
)
async def delete_list(call: Call, keyword_id: path.KeywordId) -> SuccessMessage:
    """Delete a list that no rule refers to; a built-in one can't be deleted.

    Take it out of the conditions of rules first.
    """
    await manage.delete_list(call.runtime, call.app_id, keyword_id)
    return SuccessMessage(
        success=True, message=f"Keyword with id {keyword_id} has been deleted successfully."
    )


async def _read_file(call: Call) -> GivenTerms | None:
    """Return the terms of the file of a form, if it has one.

    Raises:
        BadInput: it has several, or one that is too large.
    """
    files = call.upload.files if call.upload is not None else ()
    if not files:
        return None
    if len(files) > 1 or files[0].size > LARGEST_CSV:
        raise BadInput.field(FILE, f"Send one file of at most {LARGEST_CSV:,} bytes.")
    content = await call.runtime.threads.run(
        call.app_id, partial(_read, call, path_of(call.app_id, files[0].id))
    )
    return GivenTerms(FILE, lambda category: read_csv(content, FILE), is_csv=True)


def _read(call: Call, stored: str) -> bytes:
    with call.runtime.files.open_copy(stored) as file:
        return file.read()
