/** A Vue composable for `@hubbub/client/store`: the value of a query, as a ref. */

import { shallowRef, toValue, watch, type MaybeRefOrGetter, type ShallowRef } from "vue";
import type { Query } from "@hubbub/client/store";

/**
 * Returns a ref with the value of a query, for as long as the component, or the effect scope, is there.
 *
 * Of a ref or a getter it follows the query, as in `useHubbub(() => chat.messages(conversationId.value))`; without
 * a query the value is undefined.
 */
export function useHubbub<T>(query: MaybeRefOrGetter<Query<T>>): Readonly<ShallowRef<T>>;
export function useHubbub<T>(query: MaybeRefOrGetter<Query<T> | undefined>): Readonly<ShallowRef<T | undefined>>;
export function useHubbub<T>(query: MaybeRefOrGetter<Query<T> | undefined>): Readonly<ShallowRef<T | undefined>> {
  const value = shallowRef<T>();
  watch(
    () => toValue(query),
    (current, _before, onCleanup) => {
      const take = () => void (value.value = current?.get());
      if (current) onCleanup(current.subscribe(take));
      take();
    },
    { immediate: true, flush: "sync" },
  );
  return value;
}
