/** The present value of a query of the store; the component is drawn again when it changes. */

import { useEffect, useState } from "preact/hooks";

import type { Query } from "../chat/types.js";

export function useQuery<T>(query: Query<T>): T {
  const [, setSeen] = useState<T>();
  useEffect(() => {
    const update = (): void => setSeen(() => query.get());
    update(); // it may have changed since it was drawn
    return query.subscribe(update);
  }, [query]);
  return query.get();
}
