/** The names of those whom a message mentions, by uid. */

import { dataOf } from "./data.js";
import type { MessageView } from "./types.js";

const NOBODY: Record<string, string> = {};
/** By the mentions, which stay the same object while the text of a message grows. */
const known = new WeakMap<object, Record<string, string>>();

export function namesOf(message: MessageView): Record<string, string> {
  const { mentions } = dataOf(message);
  if (mentions === undefined) return NOBODY;
  let names = known.get(mentions);
  if (names === undefined) {
    names = Object.fromEntries(Object.entries(mentions).map(([uid, who]) => [uid, who.name ?? uid]));
    known.set(mentions, names);
  }
  return names;
}
