/** A conversation, also before its first message, when the store does not have it yet. */

import { useMemo } from "preact/hooks";

import { useAsync } from "../hooks/useAsync.js";
import { useQuery } from "../hooks/useQuery.js";
import { useSession } from "./context.js";
import type { ConversationView, Group, Receiver, User } from "./types.js";

/** Returns whom a conversation is with, by its id, which is made of both uids or of the guid. */
export function receiverIn(id: string, uid: string): Receiver {
  if (id.startsWith("group_")) return { guid: id.slice("group_".length) };
  const [one = "", other = ""] = id.split("_user_");
  return { uid: one === uid ? other : one };
}

export function useConversation(id: string): ConversationView | undefined {
  const { chat, rest, uid } = useSession();
  const known = useQuery(useMemo(() => chat.conversation(id), [chat, id]));
  const receiver = receiverIn(id, uid);
  const isGroup = "guid" in receiver;
  const isMissing = known === undefined;
  const load = async (): Promise<User | Group | undefined> => {
    if (!isMissing) return undefined;
    return (await rest<User | Group>("GET", isGroup ? `/groups/${receiver.guid}` : `/users/${receiver.uid}`)).data;
  };
  const [other] = useAsync(load, [id, isMissing]);
  return useMemo(() => {
    if (known ?? !other.value) return known;
    return {
      conversationId: id,
      conversationType: isGroup ? "group" : "user",
      unreadMessageCount: 0,
      typing: [],
      conversationWith: other.value!,
    } as unknown as ConversationView;
  }, [known, other.value]);
}
