/**
 * How many replies the newest messages of a conversation have. Messages do not say so themselves: the newest replies
 * are read once, and counted on as they arrive.
 */

import { createContext } from "preact";
import { useEffect, useState } from "preact/hooks";

import { useSession } from "./context.js";
import type { MessageView, Receiver } from "./types.js";

type Counts = ReadonlyMap<string, number>;

const NONE: Counts = new Map();
const MOST = 200;

export const RepliesContext = createContext<Counts>(NONE);

function counted(before: Counts, replies: readonly { parentId?: string }[]): Counts {
  const counts = new Map(before);
  for (const { parentId } of replies) {
    if (parentId !== undefined) counts.set(parentId, (counts.get(parentId) ?? 0) + 1);
  }
  return counts;
}

export function useReplies(conversationId: string, receiver: Receiver): Counts {
  const { client, rest } = useSession();
  const [counts, setCounts] = useState(NONE);
  useEffect(() => {
    let isWanted = true;
    const path = "guid" in receiver ? `/groups/${receiver.guid}/messages` : `/users/${receiver.uid}/messages`;
    rest<MessageView[]>("GET", path, { query: { affix: "prepend", limit: MOST, hideDeleted: true } }).then(
      ({ data }) => isWanted && setCounts(counted(NONE, data)),
      () => undefined, // the numbers are left out
    );
    const end = client.on("message_sent", ({ message }) => {
      const { conversationId: place, parentId } = message as MessageView;
      if (place === conversationId && parentId !== undefined) setCounts((before) => counted(before, [{ parentId }]));
    });
    return () => {
      isWanted = false;
      end();
    };
  }, [conversationId]);
  return counts;
}
