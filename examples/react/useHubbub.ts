/** A React hook for `@hubbub/client/store`: the value of a query, which is shown anew when it changes. */

import { useCallback, useSyncExternalStore } from "react";
import type { Query } from "@hubbub/client/store";

/**
 * Returns the value of a query of the store.
 *
 * The store returns the same query for the same arguments, so a component may call `useHubbub(chat.messages(id))`.
 * Without a query, as when no conversation is open, the value is undefined.
 */
export function useHubbub<T>(query: Query<T>): T;
export function useHubbub<T>(query: Query<T> | undefined): T | undefined;
export function useHubbub<T>(query: Query<T> | undefined): T | undefined {
  const subscribe = useCallback(
    (changed: () => void) => (query ? query.subscribe(changed) : () => undefined),
    [query],
  );
  const get = useCallback(() => query?.get(), [query]);
  return useSyncExternalStore(subscribe, get, get);
}
