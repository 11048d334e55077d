/** Listeners by name. */

type Listener<A extends unknown[]> = (...args: A) => void;

/** Tells listeners of what happens; one that throws holds up no other. */
export class Emitter<M extends { [K in keyof M]: unknown[] }> {
  private readonly listeners = new Map<keyof M, Set<Listener<never>>>();

  /** Calls `listener` each time; returns what ends this. */
  on<K extends keyof M>(name: K, listener: Listener<M[K]>): () => void {
    const known = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, known);
    const own: Listener<M[K]> = (...args) => listener(...args); // the same function may listen twice
    known.add(own as Listener<never>);
    return () => void known.delete(own as Listener<never>);
  }

  emit<K extends keyof M>(name: K, ...args: M[K]): void {
    for (const listener of [...(this.listeners.get(name) ?? [])]) {
      tell(listener as Listener<M[K]>, ...args);
    }
  }
}

/** Calls a listener of the application. What it throws is reported, not passed on. */
export function tell<A extends unknown[]>(listener: (...args: A) => void, ...args: A): void {
  try {
    listener(...args);
  } catch (error) {
    if (typeof reportError === "function") reportError(error);
    else console.error(error);
  }
}
