/** Decides where a list goes on after a page. */

import type { AnyMeta } from "./types.js";

type Pagination = NonNullable<AnyMeta["pagination"]>;

interface Query {
  affix?: unknown;
  updatedAt?: unknown;
}

/** Returns the parameters of the next page, or undefined after the last one. */
export function placeAfter(rows: readonly unknown[], meta: AnyMeta, query: Query): object | undefined {
  const { pagination, cursor } = meta;
  if (typeof cursor === "string") return rows.length ? { since: cursor } : undefined;
  // Rows that go meanwhile shift the numbers of pages, but no cursor. After the last page comes an empty one,
  // without a cursor.
  if (pagination) return cursor || query.updatedAt !== undefined ? cursor : pageAfter(pagination);
  return isBackwards(meta, query) ? meta.previous : meta.next;
}

function pageAfter({ current_page: page, total_pages: pages }: Pagination): object | undefined {
  return page < pages ? { page: page + 1 } : undefined;
}

/** Puts the rows of a page into the order in which the list is read. */
export function ordered<Row>(rows: Row[], meta: AnyMeta, query: Query): Row[] {
  return !meta.pagination && isBackwards(meta, query) ? rows.reverse() : rows;
}

/** The log of notifications is read backwards unless `affix` says otherwise; its first page has no `next`. */
function isBackwards({ previous, next }: AnyMeta, { affix }: Query): boolean {
  return affix === undefined ? !next && previous !== undefined : affix === "prepend";
}
