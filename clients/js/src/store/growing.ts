/** Messages that grow: what was appended is added to the text that is held. */

import type { Events } from "../generated/realtime.js";
import type { Context } from "./reduce.js";
import type { MessageRow } from "./rows.js";

/** The lengths of texts in code points, so that each is counted once. */
const lengths = new WeakMap<MessageRow, number>();

/** Adds what was appended; a part that is held already is cut, and after a hole the message is read again. */
export function applyAppended(context: Context, { id, sequence, offset, text }: Events["message_appended"]): void {
  const known = context.rows.get("messages", id);
  const growing = known?.data.growing as { sequence: number } | undefined;
  if (!known || !growing || sequence <= growing.sequence) return;
  const before = (known.data.text as string | undefined) ?? "";
  const length = lengths.get(known) ?? lengthOf(before);
  if (offset > length) return context.markDirty(`message:${id}`);
  const added = offset === length ? text : [...text].slice(length - offset).join("");
  const next = { ...known, data: { ...known.data, text: before + added, growing: { sequence } } };
  lengths.set(next, length + lengthOf(added));
  context.rows.put("messages", id, next);
}

function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}
