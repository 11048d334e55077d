/** The text that is being written: in a conversation kept by the store, on all devices; of a reply while the page is open. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import { dataOf } from "../chat/data.js";
import type { Mentionable } from "../text/mentions.js";
import { withNames, withTags } from "../text/mentions.js";

export interface Draft {
  text: string;
  mentions: readonly Mentionable[];
}

type Stored = Record<string, unknown> | undefined;

const EMPTY: Draft = { text: "", mentions: [] };
/** What another device has written is not put in place of what is being written here. */
const QUIET_MS = 2000;
const replies = new Map<string, Draft>();

/** Returns what is stored of a draft: the text as it would be sent, and who is who in it. */
function storedOf({ text, mentions }: Draft): Stored {
  if (!text.trim()) return undefined;
  const names = mentions.map(({ uid, name }) => [uid, name]);
  return { text: withTags(text, mentions), ...(names.length > 0 ? { names: Object.fromEntries(names) } : {}) };
}

/** Reads a draft, which another program may have stored in another form. */
function draftOf(data: Stored): Draft {
  const names = Object.entries(Object(data?.["names"]) as object).filter(([, name]) => typeof name === "string");
  const [text, mentions] = withNames(dataOf({ data }).text ?? "", Object.fromEntries(names));
  return { text, mentions };
}

/** The text of a draft for the list of conversations. */
export const draftText = (data: Stored): string => draftOf(data).text;

/** Returns the draft, what changes it, and what reads it as it is now. What is edited is no draft. */
export function useDraft(
  conversationId: string,
  parentId: string | undefined,
  isEditing: boolean,
): [Draft, (draft: Draft) => void, () => Draft] {
  const { chat } = useSession();
  const stored = useMemo(() => chat.draft(conversationId), [chat, conversationId]);
  const [draft, setDraft] = useState(() => (parentId ? (replies.get(parentId) ?? EMPTY) : draftOf(stored.get())));
  const latest = useRef(draft);
  const writtenAt = useRef(0);
  const show = (next: Draft): void => {
    latest.current = next;
    setDraft(next);
  };
  const keep = (next: Draft): void => {
    show(next);
    if (parentId) replies.set(parentId, next);
    if (parentId ?? isEditing) return;
    writtenAt.current = Date.now();
    chat.setDraft(conversationId, storedOf(next));
  };
  useEffect(() => {
    if (isEditing) writtenAt.current = 0; // what is shown afterwards is the draft
    if (parentId ?? isEditing) return undefined;
    const take = (): void => {
      const next = draftOf(stored.get());
      const isQuiet = Date.now() - writtenAt.current > QUIET_MS;
      if (isQuiet && next.text !== latest.current.text) show(next);
    };
    take(); // after an edit, too
    return stored.subscribe(take);
  }, [stored, parentId, isEditing]);
  return [draft, keep, () => latest.current];
}
