/** The outcome of something that takes time; a later call replaces an earlier one. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export interface Outcome<T> {
  value?: T;
  error?: Error;
  isLoading: boolean;
}

export function useAsync<T>(make: () => Promise<T>, inputs: unknown[]): [Outcome<T>, () => void] {
  const [outcome, setOutcome] = useState<Outcome<T>>({ isLoading: true });
  const latest = useRef(0);
  const load = useCallback(() => {
    const turn = (latest.current += 1);
    const settle = (settled: Outcome<T>): void => {
      if (turn === latest.current) setOutcome(settled);
    };
    setOutcome((before) => ({ ...before, isLoading: true }));
    make().then(
      (value) => settle({ value, isLoading: false }),
      (error: Error) => settle({ error, isLoading: false }),
    );
  }, inputs);
  useEffect(() => {
    load();
    return () => void (latest.current += 1);
  }, [load]);
  return [outcome, load];
}
