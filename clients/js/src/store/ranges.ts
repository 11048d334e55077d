/**
 * What is held of a list: all messages from one on, up to the newest, and ranges before it, such as those around a
 * result of a search. Between two ranges there is a gap.
 */

import { compareIds, type ListRow, type Range } from "./rows.js";

/** A range that was read; without `newest` it reaches up to the newest message. */
export type ReadRange = Omit<Range, "newest"> & { newest?: string | undefined };

/** The ranges of a list, the oldest first. */
export function rangesOf({ oldest, isComplete, islands = [] }: ListRow): readonly ReadRange[] {
  return [...islands, { oldest: oldest ?? "", isComplete }];
}

/** Returns a list with what was read. Ranges that meet become one. */
export function withRange(list: ListRow, read: ReadRange): ListRow {
  const joined: ReadRange[] = [];
  for (const range of [...rangesOf(list), read].sort((one, other) => compareIds(lowest(one), lowest(other)))) {
    const last = joined.at(-1);
    if (!last || !meet(last, range)) joined.push(range);
    else joined[joined.length - 1] = { ...last, newest: later(last.newest, range.newest) };
  }
  return listWith(joined);
}

/** Returns a list of which nothing is held before a message. */
export function withoutOlder(list: ListRow, id: string): ListRow {
  const left = rangesOf(list).filter(({ newest }) => isUpTo(id, newest));
  return listWith(left.map((range) => (compareIds(lowest(range), id) < 0 ? { ...range, oldest: id, isComplete: false } : range)));
}

/** Makes a list of ranges, of which the last reaches up to the newest message. */
function listWith(ranges: readonly ReadRange[]): ListRow {
  const { oldest, isComplete } = ranges.at(-1)!;
  const islands = ranges.slice(0, -1) as readonly Range[];
  return { ...(oldest ? { oldest } : {}), isComplete, ...(islands.length > 0 ? { islands } : {}) };
}

/** The index of the range that has a message; -1 if none has. */
export function rangeWith(ranges: readonly ReadRange[], id: string): number {
  return ranges.findIndex((range) => compareIds(lowest(range), id) <= 0 && isUpTo(id, range.newest));
}

/** Nothing is before a complete range, whatever its oldest message is. */
function lowest({ oldest, isComplete }: ReadRange): string {
  return isComplete ? "" : oldest;
}

function meet(one: ReadRange, other: ReadRange): boolean {
  return isUpTo(lowest(other), one.newest);
}

function isUpTo(id: string, newest: string | undefined): boolean {
  return newest === undefined || compareIds(id, newest) <= 0;
}

function later(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return undefined;
  return compareIds(one, other) < 0 ? other : one;
}
