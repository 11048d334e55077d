/** The text that is being written, kept for each conversation while the page is open. */

import { useState } from "preact/hooks";

import type { Mentionable } from "../text/mentions.js";

export interface Draft {
  text: string;
  mentions: readonly Mentionable[];
}

const EMPTY: Draft = { text: "", mentions: [] };
const drafts = new Map<string, Draft>();

export function useDraft(key: string): [Draft, (draft: Draft) => void, () => Draft] {
  const [draft, setDraft] = useState(() => drafts.get(key) ?? EMPTY);
  const keep = (next: Draft): void => {
    drafts.set(key, next);
    setDraft(next);
  };
  return [draft, keep, () => drafts.get(key) ?? EMPTY];
}
