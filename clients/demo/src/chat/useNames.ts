/** The names of people by uid, for what the server tells by uid alone. */

import { useAsync } from "../hooks/useAsync.js";
import { useSession } from "./context.js";
import type { Rest, User } from "./types.js";

const known = new WeakMap<Rest, Promise<Map<string, string>>>();

async function load(rest: Rest): Promise<Map<string, string>> {
  const { data } = await rest<User[]>("GET", "/users", { query: { perPage: 1000 } });
  return new Map(data.map(({ uid, name }) => [uid, name]));
}

export function useNames(): (uid: string) => string {
  const { rest } = useSession();
  const [names] = useAsync(() => {
    const loading = known.get(rest) ?? load(rest);
    known.set(rest, loading);
    return loading;
  }, [rest]);
  return (uid) => names.value?.get(uid) ?? uid;
}
