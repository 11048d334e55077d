/** Whether a person is online now, as it changes. */

import { useMemo } from "preact/hooks";

import { useSession } from "../chat/context.js";
import type { User } from "../chat/types.js";
import { useQuery } from "../hooks/useQuery.js";

export function useIsOnline(user: Pick<User, "uid" | "status">): boolean {
  const { chat } = useSession();
  const heard = useQuery(useMemo(() => chat.presence(user.uid), [chat, user.uid]));
  return (heard ?? user.status) === "available";
}
